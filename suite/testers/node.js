// npm robots-parser, as a tester: a question a line, an answer a line.
'use strict';
const readline = require('readline');
const robotsParser = require('robots-parser');

const originOf = (url) => { try { return new URL(url).origin; } catch { return 'https://example.com'; } };

function answer({ file_base64: file, agent, url }) {
  try {
    const parsed = robotsParser(`${originOf(url)}/robots.txt`, Buffer.from(file, 'base64').toString('utf8'));
    const allow = parsed.isAllowed(url, agent);
    if (allow === undefined) return { error: 'the answer is undefined' };
    const delay = parsed.getCrawlDelay(agent);
    return { allow, crawl_delay: delay === undefined ? null : Number(delay), sitemaps: parsed.getSitemaps() };
  } catch (error) { return { error: String(error).slice(0, 300) }; }
}

readline.createInterface({ input: process.stdin, crlfDelay: Infinity }).on('line', (line) => {
  const question = JSON.parse(line);
  process.stdout.write(`${JSON.stringify({ id: question.id, ...answer(question) })}\n`);
});
