// Edits of a file: lines, and what to write instead. All other bytes of the text stay, also line ends. A byte order
// mark is a part of the first line.

const LINE = /[^\r\n]*(?:\r\n|\r|\n|$)/gy;

/** The lines of a text, each with its end. */
export function linesOf(text) {
  const lines = text.match(LINE) ?? [];
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

const endOf = (line) => /(?:\r\n|\r|\n)?$/.exec(line)[0];

/** A text with these edits, which are of different lines. An edit that does not fit changes nothing. */
export function withEdits(text, edits) {
  const lines = linesOf(text);
  const between = endOf(lines[0] ?? "") || "\n";
  for (const { first, last, lines: written } of edits) {
    if (!(first >= 1 && last >= first && last <= lines.length)) continue;
    const end = endOf(lines[last - 1]);
    lines[first - 1] = written.join(end || between) + (written.length > 0 ? end : "");
    lines.fill("", first, last);
  }
  return lines.join("");
}
