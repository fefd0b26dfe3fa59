// The store against the tables of the linear hash that it grew from, in Node and in a tab, and against other stores in
// the same worker. `npm run bench -- linhash [node|tab|peers]...`

const PARTS = ["node", "tab", "peers"];

export async function bench(figures, { parts, say }) {
  const unknown = parts.filter((part) => !PARTS.includes(part));
  if (unknown.length > 0) throw new Error(`no such part: ${unknown.join(", ")}; there are ${PARTS.join(", ")}`);
  for (const part of parts.length > 0 ? parts : PARTS) {
    const module = await import(`./linhash/${part}.mjs`);
    await module.bench(figures, { say });
  }
}
