// The article's table beside ours, and which layouts the newest one leaves nothing to: the ratio is told of each as it is,
// with no allowance. Look-ups are told a second of CPU time where the system tells that: wall time is that of a busy
// machine too.

/** String to id a second with a million strings, in the article. */
const SEED = { brute: 2.582, binary: 37_412, tree: 103_986, hash: 370_910, bucket10: 298_102, bucket20: 249_440, bucket50: 224_918, bucket100: 165_779, bucket200: 108_862 };
const SEED_COUNT = 1_000_000;
/** Brute force among more strings takes minutes a look-up. */
const BRUTE_COUNT_MAX = 1_000_000;

/** `run({ layouts, count, hits })` gives the figures of each layout. */
export async function table(figures, where, run, { counts, hits, layouts, say }) {
  for (const count of counts) {
    const name = `${where} ${count.toExponential().replace("+", "")}`;
    say(`${name}: all layouts by turns`);
    const cells = await run({ layouts: layouts.filter((layout) => layout !== "brute" || count <= BRUTE_COUNT_MAX), count, hits });
    for (const cell of cells) tell(figures, `${name} ${cell.layout}`, cell, count);
    const own = cells.find(({ layout }) => layout === "tagged");
    if (own) compare(figures, `${name} tagged`, own, cells.filter((cell) => cell !== own));
  }
}

function tell(figures, name, { layout, fileBytes, openMs, resident, byHit, names }, count) {
  figures.add(name, "open", openMs, "ms");
  figures.add(name, "resident besides pages, per 100k strings", (resident * 1e5) / count / 1e3, "kB");
  figures.add(name, "file, per string", fileBytes / count, "bytes");
  figures.add(name, "id to string, in memory", names, "/s");
  for (const { hit, least, cached, pages } of byHit) {
    const seed = count === SEED_COUNT && hit === 1 && SEED[layout] !== undefined;
    figures.add(name, `string to id, hit ${hit}`, least.perSecond, "/s", seed ? { peer: `article, ${SEED[layout]}/s`, ratio: least.perSecond / SEED[layout] } : {});
    figures.add(name, `string to id, hit ${hit}, of wall time`, least.wall, "/s");
    figures.add(name, `reads a look-up, hit ${hit}`, least.reads, "reads");
    figures.add(name, `resident with pages, hit ${hit}`, pages / 1e3, "kB");
    figures.add(name, `string to id in memory, hit ${hit}`, cached.perSecond, "/s");
  }
}

/** No worse in memory and in speed than each of the others, at every share of hits. */
function compare(figures, name, own, others) {
  for (const [at, { hit, least }] of own.byHit.entries()) {
    const leaves = [];
    for (const other of others) {
      const ratio = least.perSecond / other.byHit[at].least.perSecond;
      figures.add(name, `against ${other.layout}, hit ${hit}`, least.perSecond, "/s", { peer: `${other.layout}, ${(other.resident / own.resident).toPrecision(3)} times as much resident`, ratio });
      if (own.resident > other.resident || ratio < 1) leaves.push(other.layout);
    }
    figures.add(name, `layouts that it dominates, hit ${hit}`, others.length - leaves.length, `of ${others.length}`, leaves.length > 0 ? { peer: `not ${leaves.join(", ")}` } : {});
  }
}
