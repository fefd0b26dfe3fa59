/** Every sentence and label about searching, fetched with it. */

const english = {
  // The field
  label: "Search text, fields and URLs",
  placeholder: "Search text, fields and URLs",
  onlyUrls: "Records whose URL holds this. Text can be searched once all of the archive is in the library.",
  suggestions: "Completions and searches",
  recent: "Recent searches",
  savedSearches: "Saved searches",
  forget: (query: string) => `Forget the search ${query}`,
  columns: {
    "url:": "URL, * for any letters, or /regex/",
    "host:": "host name",
    "domain:": "host and all below it",
    "title:": "words of the title",
    "text:": "words of the text",
    "body:": "/regex/ over the text",
    "mime:": "media type, such as image/*",
    "type:": "kind of record",
    "status:": "404, 4xx, 200..299",
    "date:": "2014, 2014-03..2015, >=2014-03-01",
    "lang:": "language, such as en",
    "ext:": "ending of the file name",
    "size:": ">1mb, 10k..2mb",
    "digest:": "digest of the payload",
  } as Readonly<Record<string, string>>,
  wrong: (why: string) => `The query is not understood: ${why}`,

  // The list
  hits: "Hits",
  hitList: "What was found",
  hitsCount: (count: string, isOne: boolean) => (isOne ? `${count} hit` : `${count} hits`),
  soFar: "so far",
  took: (time: string) => `in ${time}`,
  readTexts: (read: string, all: string) => `texts read: ${read} of ${all}`,
  partial: (searched: string, records: string) => `Searched so far: ${searched} of ${records} records. The rest is still being read; hits come as it is.`,
  lacks: (searched: string, records: string) => `Of ${records} records ${searched} can be searched.`,
  indexAgain: "Index again",
  searching: "Searching",
  stop: "Stop",
  goOn: "Go on",
  stopped: "Stopped: there may be more.",
  none: (query: string) => `Nothing was found for ${query}`,
  noneHint: "Fewer words find more. A star stands for the rest of a word: archiv*",
  failed: "The search failed.",
  order: "Order of the hits",
  orders: { rank: "Best first", "time+": "Oldest first", "time-": "Latest first", url: "By URL", "size-": "Largest first", file: "Order of the file" } as Readonly<Record<string, string>>,
  group: "Fold hits that are alike",
  groups: { "": "Every hit", url: "One for each URL", host: "One for each host", digest: "One for each content" } as Readonly<Record<string, string>>,
  same: (count: string) => `+${count} the same`,
  star: "Keep this search",
  unstar: "Keep this search no longer",
  saveHits: "Save what was found",
  plan: "How it was found",
  planWhat: "Step",
  planRows: "Found",
  planWork: "Looked at",
  planTime: "Time",
  milliseconds: (time: string) => `${time} ms`,
  lessThan: (time: string) => `< ${time} ms`,
  noPlan: "There is nothing to tell.",
  untitled: "(no title)",
  noUrl: "(no URL)",

  // Facets
  facets: "Narrow down",
  facetNames: { host: "Hosts", mime: "Media types", status: "Status", lang: "Languages", ext: "Endings", type: "Record types" } as Readonly<Record<string, string>>,
  noValue: "(none)",
  facetHint: "Click: only these. Click again: all. With Alt: none of these.",
  exclude: (name: string) => `None of ${name}`,
  timeline: "Hits over time. Arrow keys move, with Shift they select, Enter takes what is selected, Escape takes it away.",
  timeBar: (time: string, count: string) => `${time}: ${count}`,
  allTimes: "All times",
  noDates: "No dates",

  // Keys
  field: "Search, filter by URL",
  placesKey: "Next, previous place of what was searched for",

  // Marks in a text
  marks: "Places in the text",
  markOf: (at: string, all: string) => `${at} of ${all}`,
  previous: "Previous place",
  next: "Next place",

  // All archives
  everywhere: "Search the library",
  everywherePlaceholder: "Search all archives of the library",
  find: "Search",
  ofArchives: (done: string, all: string) => `Archives searched: ${done} of ${all}`,
  nothingAnywhere: (query: string) => `No archive of the library has anything for ${query}`,
  moreOf: (count: string, name: string) => `Show ${count} in ${name}`,
  completed: "The rest is read when it is open.",
  open: (name: string) => `Open ${name}`,
  notSearched: (why: string) => `It could not be searched: ${why}`,
};

export type Words = typeof english;

export const words: Words = english;
