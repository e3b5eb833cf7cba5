// The vectors of the suite, as what a tester is asked and what RFC 9309 answers.

import { readFileSync } from "node:fs";

/// The file's bytes.
function bytes(vector) {
  if (vector.file !== undefined) return Buffer.from(vector.file);
  if (vector.file_base64 !== undefined) return Buffer.from(vector.file_base64, "base64");
  const { head, body, times, tail } = vector.file_repeat;
  return Buffer.from(head + body.repeat(times) + tail);
}

/// Vectors, in order: all, or those of a level ("must", "may", "silent"). A file is made when it is read.
export function vectors({ level } = {}) {
  const all = JSON.parse(readFileSync(new URL("robots-vectors-1.json", import.meta.url), "utf8"));
  return all.filter((vector) => level === undefined || vector.rfc.level === level).map((vector) => ({
    id: vector.id,
    get file() {
      return bytes(vector);
    },
    agent: vector.header ?? vector.agent,
    header: vector.header !== undefined,
    url: vector.url,
    answer: vector.rfc.answer,
    level: vector.rfc.level,
    section: vector.rfc.section,
    google: vector.google,
    tags: vector.tags,
    why: vector.why,
  }));
}
