// The file that the page begins with. It has something of everything.

export const EXAMPLE = `# The rules of a shop
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

export const EXAMPLE_OLD = `User-agent: *
Disallow: /cart
Disallow: /account/
Allow: /account/login
Disallow: /*.pdf$
Crawl-delay: 5

User-agent: CCBot
Disallow: /

Sitemap: https://shop.example/sitemap.xml
`;
