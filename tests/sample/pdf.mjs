// Writes the sample's PDF: two small pages of drawing and text, with a cross-reference table that is right.
// Uses the built-in Times fonts, so that it holds no font and stays small. Uncompressed, so that it can be read as text.

const PAGE = { width: 300, height: 420 };

function text(x, y, size, words, font = "F1") {
  const escaped = words.replace(/[\\()]/g, "\\$&");
  return `BT /${font} ${size} Tf ${x} ${y} Td (${escaped}) Tj ET`;
}

/** A circle from four curves. */
function disc(x, y, r, paint) {
  const k = Math.round(r * 0.5523 * 100) / 100;
  return `${x + r} ${y} m ${x + r} ${y + k} ${x + k} ${y + r} ${x} ${y + r} c ${x - k} ${y + r} ${x - r} ${y + k} ${x - r} ${y} c ${x - r} ${y - k} ${x - k} ${y - r} ${x} ${y - r} c ${x + k} ${y - r} ${x + r} ${y - k} ${x + r} ${y} c ${paint}`;
}

function cover() {
  return [
    "0.063 0.102 0.180 rg 0 0 300 420 re f",
    "1 0.784 0.341 rg", "150 322 m 20 372 l 20 272 l f", "150 322 m 280 372 l 280 272 l f",
    "0.957 0.918 0.835 rg", "128 310 m 172 310 l 190 120 l 110 120 l f",
    "0.851 0.412 0.290 rg", "132 334 m 150 352 l 168 334 l f", "121 240 m 179 240 l 182 210 l 118 210 l f", "115 180 m 185 180 l 188 150 l 112 150 l f",
    "1 0.902 0.639 rg 134 310 32 24 re f",
    "0.957 0.918 0.835 rg", text(62, 80, 22, "The Keeper's Almanac"), text(106, 56, 13, "for the year 1931", "F2"), text(76, 24, 9, "N. Orde, Station 9, Skerry Point"),
  ];
}

function calendar() {
  const lines = [
    "1 1 0.97 rg 0 0 300 420 re f 0.2 0.17 0.13 rg",
    text(30, 380, 16, "March"), text(30, 362, 10, "A month to be got through.", "F2"),
  ];
  const moons = [["new", 0], ["quarter", 0.5], ["full", 1], ["quarter", 0.5]];
  moons.forEach(([name, lit], idx) => {
    const x = 60 + idx * 60;
    lines.push("0.063 0.102 0.180 rg", disc(x, 322, 18, "f"));
    if (lit === 1) lines.push("0.957 0.918 0.835 rg", disc(x, 322, 16, "f"));
    if (lit === 0.5) lines.push(`q 0.957 0.918 0.835 rg ${idx === 1 ? x : x - 18} 300 18 44 re W n ${disc(x, 322, 16, "f")} Q`);
    lines.push("0.2 0.17 0.13 rg", text(x - 14, 292, 8, name, "F2"));
  });
  const days = [
    ["2", "Wind NW, six. Glass falling. Gull on rail again."], ["3", "Wind NW, seven. Soup. Gull indoors."], ["4", "As slip of 2 March, which see."],
    ["9", "Boat, late. Flour, oil, one letter, not for me."], ["15", "Lens cleaned. Could see Norway, or a cloud."], ["21", "Equinox. Everything the same length."],
    ["27", "Counted gulls. Lost count. Counted again."], ["31", "No change."],
  ];
  days.forEach(([day, line], idx) => {
    const y = 262 - idx * 22;
    lines.push(`0.85 0.41 0.29 rg`, text(30, y, 11, day), "0.2 0.17 0.13 rg", text(54, y, 11, line), `0.8 0.75 0.62 RG 0.5 w 30 ${y - 7} m 270 ${y - 7} l S`);
  });
  lines.push(text(30, 50, 9, "On gulls: they are not bad neighbours. They are bad lodgers.", "F2"));
  return lines;
}

/** The almanac as PDF bytes. */
export function almanac() {
  const contents = [cover(), calendar()].map((lines) => lines.join("\n"));
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R /Lang (en) >>",
    "<< /Type /Pages /Count 2 /Kids [3 0 R 4 0 R] >>",
    ...contents.map((_, idx) => `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${PAGE.width} ${PAGE.height}] /Contents ${5 + idx} 0 R /Resources << /Font << /F1 7 0 R /F2 8 0 R >> >> >>`),
    ...contents.map((content) => `<< /Length ${content.length} >>\nstream\n${content}\nendstream`),
    "<< /Type /Font /Subtype /Type1 /BaseFont /Times-Roman >>",
    "<< /Type /Font /Subtype /Type1 /BaseFont /Times-Italic >>",
    "<< /Title (The Keeper's Almanac for the year 1931) /Author (N. Orde) /CreationDate (D:20231104090000Z) >>",
  ];
  let file = "%PDF-1.4\n";
  const offsets = objects.map((object, idx) => {
    const offset = file.length;
    file += `${idx + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = file.length;
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("")}`;
  file += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Info 9 0 R >>\nstartxref\n${table}\n%%EOF\n`;
  return new TextEncoder().encode(file);
}
