// The file that the page begins with. It has something of everything.

import { fromText } from "./bytes.js";

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
User-agent: CCBot
Disallow: /

Sitemap: https://shop.example/sitemap.xml
`;

/** The example, as a question. */
export const example = () => ({ body: fromText(FILE), agent: "", urls: [] });

/** Whether this is the example as it came. */
export const isExample = ({ text }) => text === FILE;
