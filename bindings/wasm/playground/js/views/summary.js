// What else the file says to the crawler.

import { el, number, put } from "../dom.js";
import { groupWords, signalWords } from "../words.js";

const MOST = 8;

export function showSummary(place, found) {
  const values = [
    ["Applies", [`${groupWords(found)}${found.agent_line ? `, line ${number(found.agent_line)}` : ""}; ${found.rules === 1 ? "1 rule" : `${number(found.rules)} rules`}`]],
    ["Crawl delay", found.crawl_delay ? [`${found.crawl_delay.seconds} s`] : []],
    ["Request rates", found.request_rates],
    ["Visit times (UTC)", found.visit_times],
    ["Content-Signal", found.content_signals.map(signalWords)],
    ["Content-Usage", found.content_usage.map(signalWords)],
    ["Sitemaps", found.sitemaps],
    ["Host", found.host ? [found.host] : []],
    ["License", found.license],
  ];
  const shown = values.filter(([, list]) => list?.length > 0).flatMap(([name, list]) => [
    el("dt", null, name),
    ...list.slice(0, MOST).map((value) => el("dd", null, el("code", null, typeof value === "string" ? value : JSON.stringify(value)))),
    list.length > MOST ? el("dd.note", null, `and ${number(list.length - MOST)} more`) : null,
  ]);
  put(place, el("dl.summary", null, ...shown));
}
