// The testers from npm. Usage: node_testers.js NAME (the names are below)
//
// Two kinds of lines are answered, one line each:
//   {"id": "...", "file_base64": "...", "agent": "...", "url": "..."}  ->  {"id": "...", "allow": true, ...}
//   {"robots_b64": "...", "tests": [["agent", ["url", ...]], ...]}      ->  ["0101", ...]
// The second one parses a file once for many URLs: a letter per URL, 1 allowed, 0 disallowed, E error.
'use strict';
const { Readable } = require('stream');
const readline = require('readline');

const originOf = (url) => { try { return new URL(url).origin; } catch { return 'https://example.com'; } };
const pathOf = (url) => {
  const rest = url.replace(/^https?:\/\/[^/?#]*/, '').replace(/#.*/s, '');
  return rest.startsWith('/') ? rest : `/${rest}`;
};

// Each of these gets a Buffer and the site of the file, and returns {allowed(agent, url)}; delay(agent) and sitemaps() only where the tester has them.
const testers = {
  'robots-parser': async (robots, site) => {
    const parsed = require('robots-parser')(`${site}/robots.txt`, robots.toString('utf8'));
    return {
      allowed: (agent, url) => parsed.isAllowed(url, agent),
      delay: (agent) => parsed.getCrawlDelay(agent),
      sitemaps: () => parsed.getSitemaps(),
    };
  },

  // The guard decides; a parser by the same author reads the file for it. npm robots-txt is these two with a cache.
  'robots-txt-guard': async (robots) => {
    const parsed = await require('robots-txt-parse')(Readable.from([robots]));
    const guard = require('robots-txt-guard')(parsed);
    return {
      allowed: (agent, url) => guard.isAllowed(agent, pathOf(url)),
      sitemaps: () => (parsed.extensions || []).filter((e) => e.extension === 'sitemap').map((e) => e.value),
    };
  },

  'robots-txt-parser': async (robots, site) => {
    const text = robots.toString('utf8');
    const byAgent = new Map(); // the agent is an option of its constructor
    const parser = (agent) => {
      if (!byAgent.has(agent)) {
        const made = require('robots-txt-parser')({ userAgent: agent, allowOnNeutral: true });
        made.parseRobots(site, text);
        byAgent.set(agent, made);
      }
      return byAgent.get(agent);
    };
    return { allowed: (agent, url) => parser(agent).canCrawlSync(url) };
  },

  robots: async (robots) => {
    const parser = new (require('robots').RobotsParser)();
    parser.parse(robots.toString('utf8').split(/\r\n|\r|\n/)); // as it splits what it has fetched
    return {
      allowed: (agent, url) => parser.canFetchSync(agent, pathOf(url)),
      delay: (agent) => parser.getCrawlDelay(agent),
      sitemaps: () => parser.sitemaps,
    };
  },

  exclusion: async (robots) => {
    const { RobotsTxt } = await import('exclusion'); // require() of it fails
    const parsed = new RobotsTxt(robots.toString('utf8'));
    return {
      allowed: (agent, url) => parsed.isPathAllowed(pathOf(url), agent),
      delay: (agent) => { const delay = parsed.getDelay(agent); return delay === undefined ? null : delay / 1000; },
    };
  },

  // Its matcher is used in this way: groups that name the agent, then those for all; a `Disallow: /` closes a group.
  nuxt: async (robots) => {
    const util = await import('@nuxtjs/robots/util');
    const parsed = util.parseRobotsTxt(robots.toString('utf8'));
    const groups = parsed.groups.map((group) => util.normalizeGroup(group));
    const named = (group, agent) => group.userAgent.some((ua) => ua && agent.toLowerCase().includes(ua.toLowerCase()));
    return {
      allowed: (agent, url) => {
        const order = [...groups.filter((g) => named(g, agent)), ...groups.filter((g) => g.userAgent.includes('*'))];
        for (const group of order) {
          if (!group._indexable) return false;
          const rule = util.matchPathToRule(pathOf(url), group._rules);
          if (rule) return rule.allow;
        }
        return true;
      },
      sitemaps: () => parsed.sitemaps,
    };
  },

  // It only fetches, so it is given the text where it would have it from the network.
  robotstxt: async (robots) => {
    const parser = require('robotstxt')();
    let keeper = null;
    parser.on('ready', (made) => { keeper = made; });
    parser.parse(robots.toString('utf8'));
    await new Promise(setImmediate);
    const as = (agent) => { keeper.setUserAgent(agent); return keeper; };
    return { allowed: (agent, url) => as(agent).isAllowed(url) };
  },
};

async function answerJob(load, job) {
  let parsed = null;
  try { parsed = await load(Buffer.from(job.robots_b64, 'base64'), 'https://example.com'); } catch (error) { /* every answer is E */ }
  const letter = (agent, url) => {
    try {
      const yes = parsed.allowed(agent, url);
      return yes === undefined ? 'E' : yes ? '1' : '0';
    } catch (error) { return 'E'; }
  };
  return job.tests.map(([agent, urls]) => urls.map((url) => letter(agent, url)).join(''));
}

async function answerQuestion(load, { id, file_base64: file, agent, url }) {
  try {
    const parsed = await load(Buffer.from(file, 'base64'), originOf(url));
    const allow = parsed.allowed(agent, url);
    if (allow === undefined || allow === null) return { id, error: `the answer is ${allow}` };
    const answer = { id, allow: Boolean(allow) };
    for (const [name, value] of [['crawl_delay', parsed.delay], ['sitemaps', parsed.sitemaps]]) {
      if (!value) continue;
      try {
        const found = value(agent);
        answer[name] = name === 'sitemaps' ? found : found === undefined || found === null ? null : Number(found);
      } catch (error) { answer[name] = String(error).slice(0, 300); }
    }
    return answer;
  } catch (error) { return { id, error: String(error).slice(0, 300) }; }
}

async function main() {
  const load = testers[process.argv[2]];
  const lines = readline.createInterface({ input: process.stdin, crlfDelay: Infinity });
  for await (const line of lines) {
    const message = JSON.parse(line);
    const answer = await (message.tests ? answerJob : answerQuestion)(load, message);
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  }
}

main();
