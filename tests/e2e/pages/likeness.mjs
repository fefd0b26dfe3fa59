// What of a page can be compared, live and in replay: its text, pictures, rules of style, errors, and what is to be seen.
import { setTimeout as pause } from "node:timers/promises";

/** A page is there when it has been loaded, and was the same for so long. */
const SETTLE_MS = 700;

/** In a page: what of it can be compared. */
const look = () => ({
  title: document.title,
  text: (document.body?.innerText ?? [...document.querySelectorAll("*")].filter(({ children, localName }) => children.length === 0 && !["script", "style"].includes(localName)).map((one) => one.textContent).join(" ")).replace(/\s+/g, " ").trim(),
  pictures: [...document.images].map((one) => (one.complete ? `${one.naturalWidth}x${one.naturalHeight}` : "coming")),
  rules: [...document.styleSheets].reduce((all, sheet) => {
    try {
      return all + sheet.cssRules.length;
    } catch {
      return all;
    }
  }, 0),
});

/** What there is in a frame at last; it may be led elsewhere meanwhile. */
export async function settled(frame, patience) {
  let before = "";
  for (const end = performance.now() + patience; performance.now() < end; ) {
    await pause(SETTLE_MS);
    const isLoaded = await frame.evaluate(() => document.readyState === "complete").catch(() => false);
    const now = isLoaded ? await frame.evaluate(look).catch(() => undefined) : undefined;
    const told = JSON.stringify(now);
    if (now && told === before) return now;
    before = told;
  }
  return frame.evaluate(look);
}

/** What Firefox says of sets and types that it has to guess, and wherever a service worker answers that a page is elsewhere. */
const REMARKS = /^(?:The character encoding of the document was not declared|Failed to load \S*\. A ServiceWorker intercepted|The (?:stylesheet|script) .* was loaded .*even though its MIME type)/;

/** Errors of scripts from now on, without the addresses in them and the reasons why one page may not look into another. */
export function listen(page) {
  const errors = [];
  page.on("pageerror", ({ message }) => REMARKS.test(message) || errors.push(message.replace(/^(Blocked a frame) .*/s, "$1").replace(/https?:\/\/\S+/g, "URL").slice(0, 200)));
  page.on("dialog", (dialog) => void dialog.dismiss().catch(() => undefined));
  return errors;
}

/** How much of what either says both say: words, each as often as it is there. */
export function likeness(a, b) {
  const [left, right] = [a, b].map((text) => {
    const counts = new Map();
    for (const word of text.split(" ")) counts.set(word, (counts.get(word) ?? 0) + 1);
    return counts;
  });
  let [both, either] = [0, 0];
  for (const word of new Set([...left.keys(), ...right.keys()])) {
    both += Math.min(left.get(word) ?? 0, right.get(word) ?? 0);
    either += Math.max(left.get(word) ?? 0, right.get(word) ?? 0);
  }
  return both / either;
}

/** The part of two pictures (PNG) that looks the same, compared in any page: where one is larger, nothing does. */
export function sameLooks(page, a, b) {
  return page.evaluate(async (pictures) => {
    const [left, right] = await Promise.all(pictures.map(async (base64) => {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
      const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
      context.drawImage(bitmap, 0, 0);
      return context.getImageData(0, 0, bitmap.width, bitmap.height);
    }));
    const [width, height] = [Math.max(left.width, right.width), Math.max(left.height, right.height)];
    let same = 0;
    for (let y = 0; y < Math.min(left.height, right.height); y += 1) {
      for (let x = 0; x < Math.min(left.width, right.width); x += 1) {
        const [i, j] = [4 * (y * left.width + x), 4 * (y * right.width + x)];
        const away = Math.max(Math.abs(left.data[i] - right.data[j]), Math.abs(left.data[i + 1] - right.data[j + 1]), Math.abs(left.data[i + 2] - right.data[j + 2]));
        if (away <= 24) same += 1;
      }
    }
    return same / (width * height);
  }, [a, b].map((png) => png.toString("base64")));
}
