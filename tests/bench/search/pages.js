// Pages that a search benchmark puts and looks for: words by Zipf's law, titles, addresses. Made from their numbers, the
// same in Node, in a tab and each time.

const WORDS = 60_000;
const WORDS_A_PAGE = 730;
const TITLE_WORDS = 6;
const HOSTS = 200;
const SYLLABLES = ["ba", "co", "den", "er", "fi", "gal", "ho", "in", "ju", "ka", "lo", "men", "ni", "or", "pra", "qui", "ro", "sta", "ti", "un", "ver", "wo", "xa", "yl", "zu", "tion", "con", "nect", "able", "stream"];
/** Of so many pages one has each of the phrases. */
const PAGES_A_PHRASE = 300;

function random(seed) {
  let state = Math.imul(seed ^ 0x2545f491, 0x9e3779b1) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 4294967296;
  };
}

/** Words by how often they are, none twice. */
const words = (() => {
  const next = random(1);
  const seen = new Set();
  while (seen.size < WORDS) {
    let word = "";
    for (let left = 1 + Math.floor(next() * 4); left > 0; left--) word += SYLLABLES[Math.floor(next() * SYLLABLES.length)];
    seen.add(word);
  }
  return [...seen];
})();

const sums = new Float64Array(WORDS);
for (let n = 0, sum = 0; n < WORDS; n++) sums[n] = sum += 1 / (n + 10);

/** A word by Zipf's law. */
function word(next) {
  const share = next() * sums[WORDS - 1];
  let [low, high] = [0, WORDS - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sums[middle] < share) low = middle + 1;
    else high = middle;
  }
  return words[low];
}

/** Pairs of words that are seldom neighbours by chance. */
const phrases = Array.from({ length: 5 }, (_, n) => `${words[900 + n]} ${words[1_400 + n]}`);

/** Page `n`: title, URL, its host, text of about so many words. */
export function page(n, wordsAPage = WORDS_A_PAGE) {
  const next = random(n + 2);
  const said = [];
  for (let left = wordsAPage * (0.3 + 1.4 * next()); left > 0; left--) said.push(word(next));
  for (const phrase of phrases) if (next() * PAGES_A_PHRASE < 1) said[Math.floor(next() * said.length)] = phrase;
  const title = Array.from({ length: TITLE_WORDS }, () => word(next)).join(" ");
  // Few hosts have most pages.
  const host = `host${Math.floor(HOSTS * next() ** 3)}.example`;
  return { id: n + 1, title, host, url: `https://${host}/${n}/${words[n % WORDS]}`, text: said.join(" ") };
}

const five = (of) => Array.from({ length: 5 }, (_, n) => of(n));

/**
 * What is asked, five of each kind: words of several frequencies, two together, either of two, two in a row, words that begin
 * so, and patterns, of which the first three letters are stated or not; hosts of the pages that have a word.
 */
export const queries = {
  term: five((n) => words[300 + 200 * n]),
  and: five((n) => `${words[200 + n]} ${words[350 + n]}`),
  or: five((n) => `${words[700 + n]} ${words[900 + n]}`),
  phrase: phrases,
  prefix: five((n) => words[1_000 + n].slice(0, 6)),
  regex: five((n) => `${words[1_200 + n].slice(0, 5)}[a-m]+`),
  regexAll: five((n) => `[${"bcdfg"[n]}-k]o(?:tion|able)qui[a-f]+`),
  facets: five((n) => words[300 + 200 * n]),
};
