// What a retrieval of a live file means, in a sentence. What was tried stands below, folded.

import { seen } from "../bytes.js";
import { el } from "../dom.js";

/// The headline if the file of a site is not the answer: `{ words, allowed }`. Otherwise null.
export function retrievedHeadline({ access, class: kind, status }) {
  if (access === "rules" || kind === "not-robots-txt") return null;
  if (access === "unknown") return { words: "The site was not asked", allowed: null };
  if (access === "deny") return { words: "Crawlers have to stay away while this lasts", allowed: false };
  const what = kind === "no-file" ? "No robots.txt" : "The robots.txt cannot be retrieved";
  return { words: `${what} (${status ?? "no status"}): everybody may fetch everything`, allowed: true };
}

/// Where it comes from, why it is so, and what was tried.
export function retrievedWords(retrieved) {
  const { robots_txt: url, said, status } = retrieved;
  const why = retrievedHeadline(retrieved) === null ? `Status ${status}.` : reason(retrieved);
  return [el("code", null, seen(url)), ": ", why, " ", details(said.split("; "))];
}

/// Lines that few people need. Each stands there once.
export const details = (lines) => el("details.details", null, el("summary", null, "Details"),
  ...[...new Set(lines)].map((line) => el("span", null, seen(line))));

// Words of the errors of a connection, and what they mean for an owner. The first that fits is said.
const ERRORS = [
  [/--allow-(private|net)/, "This address is not on the public internet. Start the page with --allow-private to ask it."],
  [/port \d+ is neither/, "This port is none that sites use."],
  [/lookup|no address|resolve/i, "No site of this name was found."],
  [/InvalidContentType|wrong version/i, "The server speaks no HTTPS on this port: try http://."],
  [/certificate|UnknownIssuer|NotValidForName/i, "The certificate of the server is not valid for this name."],
  [/refused/i, "No server listens at this address."],
  [/time|deadline/i, "The server did not answer in time."],
];

const CLASSES = {
  "no-file": "There is no such file.",
  forbidden: "The server forbids access to the file, and crawlers take that as no file.",
  "other-refusal": "The server refuses the file, and crawlers take that as no file.",
  redirect: "The redirect cannot be followed, and crawlers take that as no file.",
  "too-many-requests": "The server says that it had too many requests.",
  "not-served": "The server refused the request, not the file.",
  "no-content": "The server says that it succeeded, but sent no file.",
  interrupted: "The file broke off before its end.",
  "server-error": "The server has an error of its own.",
};

function reason({ class: kind, status, attempts }) {
  const errors = attempts.map(({ error }) => error ?? "").join("\n");
  const known = status === null ? ERRORS.find(([pattern]) => pattern.test(errors))?.[1] : CLASSES[kind];
  return `${status === null ? "" : `Status ${status}. `}${known ?? "No answer came."}`;
}
