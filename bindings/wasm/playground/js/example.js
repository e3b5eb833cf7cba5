// The file that the page begins with. It has something of everything. An example comes whole and goes whole.

import { EMPTY, fromText } from "./bytes.js";

const FILE = `# The rules of a shop
User-agent: *
Disallow: /cart
Allow: /cart/help
Disallow: /account/
Allow: /account/login
Disallow: /*?sort=
Disallow: /*.pdf$
Disallow: https://shop.example/private/
Disalow: tmp
Crawl-delay: 5
Content-Signal: search=yes, ai-train=no

User-agent: GPTBot
User-agent: ClaudeBot
Disallow: /
Allow: /press/
Allow: /cart/help

Sitemap: https://shop.example/sitemap.xml
`;

const OLDER = `User-agent: *
Disallow: /cart
Disallow: /account/
Allow: /account/login
Disallow: /*.pdf$
Crawl-delay: 5

User-agent: CCBot
Disallow: /

Sitemap: https://shop.example/sitemap.xml
`;

const PARTS = { other: fromText(OLDER), agent: "GPTBot", urls: ["/cart/help", "/", "https://shop.example/list?sort=up"] };
const NOTHING = { other: EMPTY, agent: "", urls: [] };

/// The example, as parts of the question.
export const example = () => ({ body: fromText(FILE), ...PARTS });

/// Whether this is the example, or was made of it: at least half of it is left.
export function isExample({ text }) {
  let [start, end] = [0, 0];
  while (start < FILE.length && text[start] === FILE[start]) start += 1;
  while (end < FILE.length - start && end < text.length - start && text.at(-1 - end) === FILE.at(-1 - end)) end += 1;
  return 2 * (start + end) >= FILE.length;
}

/// What goes with the example: those of its parts that nobody has changed.
export function rest(question) {
  const isUntouched = (key) => (key === "other" ? question.other.text === PARTS.other.text : String(question[key]) === String(PARTS[key]));
  return Object.fromEntries(Object.entries(NOTHING).filter(([key]) => isUntouched(key)));
}

/// An empty question: no file, no crawler, no URL, nothing to compare with.
export const nothing = () => ({ body: EMPTY, ...NOTHING });
