// Makes elements. Text of a file only ever becomes a text node or a value: the page has no way to read it as markup, and
// its policy (Trusted Types) lets no code read any string so.

/// An element: `el("li.no", { id: "L3" }, "text", child, null)`. A property that is a function listens.
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

/// A text in which `marks` make code: what robosieve says of a file has them.
export function rich(text) {
  const parts = text.split("`");
  if (parts.length % 2 === 0) return [text];
  return parts.map((part, at) => (at % 2 === 1 ? el("code", null, part) : part));
}

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

export const byId = (id) => document.getElementById(id);

/// Replaces what is in a place, unless it is the same already.
export function put(place, ...children) {
  place.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined));
}

/// Text that only screen readers have.
export const spoken = (text) => el("span.spoken", null, text);

const counted = new Intl.NumberFormat("en");
export const number = (value) => counted.format(value);
export const count = (value, one, many = `${one}s`) => `${number(value)} ${value === 1 ? one : many}`;

/// The sign of an answer. The word stands next to it, so it is not spoken.
export function sign(allowed) {
  const text = allowed === true ? "\u2713" : allowed === false ? "\u2717" : "?";
  return el("b.sign", { "aria-hidden": "true" }, text);
}

/// A link to a line of the file, which the view of lines shows.
export const lineLink = (line) => el("a", { href: `#L${line}`, "data-line": line }, `line ${number(line)}`);

/// A button that shows more of a list.
export const moreButton = (words, click) => el("button.more", { type: "button", click }, words);

/// Gives text as a file to save.
export function save(name, type, text) {
  const href = URL.createObjectURL(new Blob([text], { type }));
  const link = el("a", { href, download: name });
  link.click();
  // Later: some browsers begin to read after the click.
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
}

/// Copies text, and says so on the button.
export async function copy(button, text) {
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Not permitted";
  }
  setTimeout(() => { button.textContent = label; }, 1_500);
}
