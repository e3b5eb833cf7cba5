// What else the file says to the crawler.

import { el, number, put } from "../dom.js";
import { groupWords, signalWords } from "../words.js";

export function showSummary(place, found) {
  const values = [
    ["Applies", [`${groupWords(found)}${found.agent_line ? `, line ${number(found.agent_line)}` : ""}; ${found.rules === 1 ? "1 rule" : `${number(found.rules)} rules`}`]],
    ["Crawl delay", found.crawl_delay ? [`${found.crawl_delay.seconds} s`] : []],
    ["Request rates", found.request_rates.map(rateWords), found.totals.request_rates],
    ["Visit times (UTC)", found.visit_times.map(hoursWords), found.totals.visit_times],
    ["Parameters that do not change a page", found.clean_params.map(({ parameters, path }) => `${parameters.join("&")} ${path}`), found.totals.clean_params],
    ["Content-Signal", found.content_signals.map(signalWords), found.totals.content_signals],
    ["Content-Usage", found.content_usage.map(signalWords), found.totals.content_usage],
    ["Sitemaps", found.sitemaps, found.totals.sitemaps],
    ["Host", found.host ? [found.host] : []],
    ["License", found.license, found.totals.license],
  ];
  const shown = values.filter(([, list]) => list?.length > 0).flatMap(([name, list, total]) => [
    el("dt", null, name),
    ...list.map((value) => el("dd", null, el("code", null, value))),
    total > list.length ? el("dd.note", null, `and ${number(total - list.length)} more; the report has all`) : null,
  ]);
  put(place, el("dl.summary", null, ...shown));
}

// In the form of the directives: `1/300 0600-0845`.
const time = (minutes) => `${Math.floor(minutes / 60)}`.padStart(2, "0") + `${minutes % 60}`.padStart(2, "0");
const hoursWords = ({ from, to }) => `${time(from)}-${time(to)}`;
const rateWords = ({ pages, seconds, hours }) => `${pages}/${seconds}${hours ? ` ${hoursWords(hours)}` : ""}`;
