// The article's table beside ours, and which layouts the newest one leaves nothing to. Look-ups are told a second of CPU
// time where the system tells that: wall time is that of a busy machine too.

/** String to id a second with a million strings, in the article. */
const SEED = { brute: 2.582, binary: 37_412, tree: 103_986, hash: 370_910, bucket10: 298_102, bucket20: 249_440, bucket50: 224_918, bucket100: 165_779, bucket200: 108_862 };
const SEED_COUNT = 1_000_000;
/** Brute force among more strings takes minutes a look-up. */
const BRUTE_COUNT_MAX = 1_000_000;

/** `run(cell)` gives the figures of a layout at a count. */
export async function table(figures, where, run, { counts, hits, layouts, say }) {
  for (const count of counts) {
    const found = new Map();
    for (const layout of layouts) {
      if (layout === "brute" && count > BRUTE_COUNT_MAX) continue;
      const cell = await run({ layout, count, hits });
      found.set(layout, cell);
      tell(figures, `${where} ${count.toExponential().replace("+", "")} ${layout}`, cell, layout, count);
    }
    if (found.has("tagged")) compare(figures, where, count, found, say);
  }
}

function tell(figures, name, { fileBytes, openMs, resident, byHit, names }, layout, count) {
  figures.add(name, "open", openMs, "ms");
  figures.add(name, "resident besides pages, per 100k strings", (resident * 1e5) / count / 1e3, "kB");
  figures.add(name, "file, per string", fileBytes / count, "bytes");
  figures.add(name, "id to string, in memory", names, "/s");
  for (const { hit, least, cached } of byHit) {
    const seed = count === SEED_COUNT && hit === 1 && SEED[layout] !== undefined;
    figures.add(name, `string to id, hit ${hit}`, least.perSecond, "/s", seed ? { peer: `article, ${SEED[layout]}/s`, ratio: least.perSecond / SEED[layout] } : {});
    figures.add(name, `string to id, hit ${hit}, of wall time`, least.wall, "/s");
    figures.add(name, `reads a look-up, hit ${hit}`, least.reads, "reads");
    figures.add(name, `string to id in memory, hit ${hit}`, cached.perSecond, "/s");
  }
}

/** No worse in memory and in speed than each of the others, at every share of hits. */
function compare(figures, where, count, found, say) {
  const own = found.get("tagged");
  const name = `${where} ${count.toExponential().replace("+", "")} tagged`;
  for (const [layout, other] of found) {
    if (layout === "tagged") continue;
    for (const [at, { hit, least }] of own.byHit.entries()) {
      const isLess = own.resident <= other.resident;
      const ratio = least.perSecond / other.byHit[at].least.perSecond;
      figures.add(name, `against ${layout}, hit ${hit}`, own.byHit[at].least.perSecond, "/s", { peer: `${layout}, ${(other.resident / own.resident).toPrecision(3)} times as much resident`, ratio });
      if (!isLess || ratio < 1) say(`${name} does not dominate ${layout} at hit ${hit}`);
    }
  }
}
