// What the sample archive holds, in the order of its capture: two visits to one small site, a year apart.
// A capture names a file of `site/` or gives its bytes; make.mjs turns each into records.

import { almanac } from "./pdf.mjs";

const HOME = "https://lantern-library.example";
const CDN = "https://cdn.lantern-library.example";

/** The only addresses that pages of the sample refer to and that have no good capture. */
export const MISSING = {
  /** Captured, with the answer 404. */
  notFound: `${CDN}/pictures/tin-23.jpg`,
  /** Never captured. */
  neverCaptured: `${CDN}/pictures/tin-31.jpg`,
};

export const TYPES = {
  html: "text/html; charset=utf-8", css: "text/css; charset=utf-8", js: "text/javascript; charset=utf-8", json: "application/json",
  svg: "image/svg+xml", png: "image/png", jpg: "image/jpeg", webp: "image/webp", pdf: "application/pdf", txt: "text/plain; charset=utf-8",
};

/** The first visit: the notice board of 2023. */
const FIRST = [
  { url: "http://lantern-library.example/", status: 301, headers: { Location: `${HOME}/` }, body: "", type: TYPES.html },
  { url: `${HOME}/`, file: "home/index.2023.html" },
  { url: `${CDN}/paper.css`, file: "cdn/paper.css" },
  { url: `${CDN}/lamp.svg`, file: "cdn/lamp.svg", headers: { ETag: '"lamp-1"' } },
  { url: `${CDN}/pictures/plan.svg`, file: "cdn/pictures/plan.svg" },
  { url: `${HOME}/robots.txt`, file: "home/robots.txt" },
];

/** The second visit: the site of 2024, all of it. */
const SECOND = [
  { url: `${HOME}/`, file: "home/index.2024.html" },
  { url: `${CDN}/lantern.css`, file: "cdn/lantern.css" },
  { url: `${CDN}/lamp.svg`, file: "cdn/lamp.svg", headers: { ETag: '"lamp-1"' }, isRevisit: true },
  { url: `${CDN}/pictures/skerry-point.svg`, file: "cdn/pictures/skerry-point.svg" },
  { url: `${HOME}/catalogue/`, file: "home/catalogue/index.html" },
  { url: `${HOME}/catalogue/?q=lamp`, file: "home/catalogue/index.html" },
  { url: `${HOME}/catalogue/catalogue.js`, file: "home/catalogue/catalogue.js" },
  { url: `${HOME}/catalogue/catalogue.json`, file: "home/catalogue/catalogue.json", encoding: "gzip" },
  { url: `${HOME}/search?q=lamp`, file: "home/search.lamp.html" },
  { url: `${HOME}/reading/`, file: "home/reading/index.html" },
  { url: `${HOME}/reading/the-climbing-stack.html`, file: "home/reading/the-climbing-stack.html", transfer: "chunked" },
  { url: `${HOME}/reading/a-box-of-weather.html`, file: "home/reading/a-box-of-weather.html" },
  { url: `${CDN}/pictures/stairwell.webp`, file: "cdn/pictures/stairwell.webp" },
  { url: `${CDN}/pictures/slips.jpg`, file: "cdn/pictures/slips.jpg" },
  { url: `${HOME}/almanac/1931.pdf`, body: almanac(), type: TYPES.pdf },
  { url: `${HOME}/gallery/`, file: "home/gallery/index.html" },
  { url: `${CDN}/pictures/moons.png`, file: "cdn/pictures/moons.png" },
  { url: MISSING.notFound, status: 404, file: "cdn/missing.html" },
  { url: `${HOME}/contact/`, file: "home/contact/index.html" },
  {
    url: `${HOME}/contact/slip`, file: "home/contact/slip.html", method: "POST",
    requestHeaders: { "Content-Type": "application/x-www-form-urlencoded", Origin: HOME },
    requestBody: "name=Ada&step=the+chair+in+the+Regency&message=a+book+about+fog%2C+not+too+damp",
  },
  { url: `${HOME}/ja/%E6%9B%B8%E5%BA%AB.html`, file: "home/ja/stack-room.html" },
];

/** Both visits; a capture's second is its place in the visit. */
export const VISITS = [
  { start: "2023-11-04T09:12:00Z", captures: FIRST },
  { start: "2024-11-09T17:40:00Z", captures: SECOND },
];
