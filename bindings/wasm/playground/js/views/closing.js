// What closing a file to a crawler dropped, and whom else it concerns.

import { el, put } from "../dom.js";
import { ruleWords } from "../words.js";

// Lines and names that are said at once. Our choice.
const MOST = 12;

/// Says it. `closing` is null if no edit obeys the law. `known` are the known crawlers.
export function showClosing(place, closing, known) {
  if (closing === null) {
    put(place, "This file cannot be closed to this crawler without changing what others may fetch. Nothing was written.");
    return;
  }
  const { name, dropped, also } = closing;
  const lines = dropped.map((one) => ("pattern" in one ? ruleWords({ rule: one }) : `${one.name}: ${one.value}`));
  const ignores = known.some((one) => one.token.toLowerCase() === name.toLowerCase() && one.ignores_robots_txt);
  put(place,
    `${name} is closed now. `,
    ...(lines.length === 0 ? ["Nothing was dropped."] : ["What no longer applies to it: ", ...list(lines, (line) => el("code", null, line)), "."]),
    also.length === 0 ? null : [" These go by its group too: ", ...list(also, (other) => other), "."].join(""),
    ignores ? " Its owner says that it does not always obey robots.txt." : null);
}

const list = (items, make) => [
  ...items.slice(0, MOST).flatMap((item, at) => [at > 0 ? ", " : "", make(item)]),
  items.length > MOST ? ` and ${items.length - MOST} more` : "",
];
