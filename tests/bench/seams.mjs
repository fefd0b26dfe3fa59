// The four seams that everything stands on: absent pages, many tabs, splitting, the replay pipe.
// `npm run bench -- seams [pages|tabs|splitting|pipe]...`

const SEAMS = ["pages", "tabs", "splitting", "pipe"];

export async function bench(figures, { parts, say }) {
  const unknown = parts.filter((part) => !SEAMS.includes(part));
  if (unknown.length > 0) throw new Error(`no such seam: ${unknown.join(", ")}; there are ${SEAMS.join(", ")}`);
  for (const seam of parts.length > 0 ? parts : SEAMS) {
    const module = await import(`./seams/${seam}.mjs`);
    await module.bench(figures, { parts: [], say });
  }
}
