// Lists of URLs: from a text or a table, and with their verdicts as a table (CSV, RFC 4180).

const isUrl = (cell) => /^(?:\/|[a-z][a-z0-9+.-]*:\/\/)/i.test(cell);

/// The URLs of a file, and the number of rows without one. A row may have more cells; its first URL or path counts.
export function urlsOf(text) {
  const urls = [];
  let without = 0;
  for (const cells of rowsOf(text)) {
    const found = cells.find(isUrl);
    if (found !== undefined) urls.push(found);
    else if (cells.some((cell) => cell !== "")) without += 1;
  }
  return { urls, without };
}

/// Verdicts as a table.
export function tableOf(agent, verdicts) {
  const rows = verdicts.map(({ url, allowed, error, line, rule }) => [
    url, agent === "" ? "*" : agent, error === undefined ? (allowed ? "allowed" : "disallowed") : "error", line ?? "", rule ? `${rule.kind}: ${rule.pattern}` : "",
  ]);
  return [["url", "crawler", "verdict", "line", "rule"], ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

// A cell that a table program would run as a formula is marked as text.
function cell(value) {
  const text = String(value);
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll("\"", "\"\"")}"` : harmless;
}

// Rows of cells, between commas, semicolons or tabs. A cell in quotation marks may have any of these. In one pass.
function* rowsOf(text) {
  const pattern = /(?:"((?:[^"]|"")*)"|([^,;\t\r\n"]*))[^,;\t\r\n]*(\r\n|[,;\t\r\n]|$)/gy;
  let cells = [];
  for (const [, quoted, plain, end] of text.matchAll(pattern)) {
    cells.push((quoted?.replaceAll("\"\"", "\"") ?? plain).trim());
    if (end === "," || end === ";" || end === "\t") continue;
    yield cells;
    cells = [];
  }
}
