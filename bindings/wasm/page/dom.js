// Makes elements. Text of a file only ever becomes a text node or a value: the page has no way to read it as markup, and
// its policy (Trusted Types) lets no code read any string so.

/** An element: `el("li.no", { id: "L3" }, "text", child, null)`. A property that is a function listens. */
export function el(kind, properties, ...children) {
  const [name, ...classes] = kind.split(".");
  const element = document.createElement(name);
  if (classes.length > 0) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(properties ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(key, value);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** A text in which `marks` make code: what robosieve says of a file has them. */
export function rich(text) {
  const parts = text.split("`");
  if (parts.length % 2 === 0) return [text];
  return parts.map((part, at) => (at % 2 === 1 ? el("code", null, part) : part));
}

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
export const sentence = (text) => (/[.!?]$/.test(text) ? capital(text) : `${capital(text)}.`);
export const short = (text) => (text.length > 48 ? `${text.slice(0, 48)}…` : text);

export const byId = (id) => document.getElementById(id);

/** Replaces what is in a place. */
export function put(place, ...children) {
  place.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined));
}

/** Text that only screen readers have. */
export const spoken = (text) => el("span.spoken", null, text);

const counted = new Intl.NumberFormat("en");
export const number = (value) => counted.format(value);
export const count = (value, one, many = `${one}s`) => `${number(value)} ${value === 1 ? one : many}`;

/** Names in a sentence: the first of them, and how many more. */
export function listed(names, most = 3) {
  const shown = names.slice(0, most);
  if (names.length > most) shown.push(`${number(names.length - most)} more`);
  return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`;
}

/** The sign of an answer. The word stands next to it, so it is not spoken. */
export function sign(allowed) {
  const text = allowed === true ? "\u2713" : allowed === false ? "\u2717" : "\u25d0";
  return el("b.sign", { "aria-hidden": "true" }, text);
}

/** A link to a line of the file, which the view of lines shows. */
export const lineLink = (line) => el("a", { href: `#L${line}`, "data-line": line }, `line ${number(line)}`);

/** A button that shows more of a list. */
export const moreButton = (words, click) => el("button.more", { type: "button", click }, words);

/** A table that scrolls by itself where it is too wide. */
export function table(caption, heads, rows) {
  return el("div.scroll", { tabindex: 0, role: "region", "aria-label": caption },
    el("table", null,
      el("caption.spoken", null, caption),
      el("thead", null, el("tr", null, ...heads.map((head) => el("th", { scope: "col" }, head)))),
      el("tbody", null, ...rows)));
}

// Characters that are not seen, or look like a blank.
const HIDDEN = /[\0-\x08\x0b-\x1f\x7f-\xa0\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu;

/** A text of which every character is seen: others as their numbers, and blanks for tabs. */
export const seen = (text) => text.replaceAll("\t", " ").replace(HIDDEN, (char) => `\\u{${char.codePointAt(0).toString(16)}}`);
