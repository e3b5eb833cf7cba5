// Compares answers of the package with those of the command. Runs in Node, in Chromium and in workerd.

/** The calls whose answers differ, each as a text; and the number of calls. */
export async function differences(api, cases) {
  const found = [];
  let calls = 0;
  for (const { file, body, asked } of cases) {
    const bytes = api.unpack(fromBase64(body));
    for (const { name, other, options, expected } of asked) {
      calls += 1;
      const bodies = other === undefined ? [bytes] : [bytes, api.unpack(fromBase64(other))];
      const answer = answerOf(api, name, bodies, options);
      // Octet for octet, for all that JSON can tell apart after it was read.
      if (JSON.stringify(answer) !== JSON.stringify(expected)) {
        found.push(`${name} of ${file} with ${JSON.stringify(options)}: ${at(answer, expected)}`);
      }
    }
  }
  return { calls, found };
}

const fromBase64 = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

function answerOf(api, name, bodies, options) {
  try {
    return api[name](...bodies, options);
  } catch (error) {
    return { error: String(error) };
  }
}

/** Where two answers begin to differ. */
function at(answer, expected) {
  const [left, right] = [JSON.stringify(answer), JSON.stringify(expected)];
  let start = 0;
  while (start < left.length && left[start] === right[start]) start += 1;
  start = Math.max(0, start - 40);
  return `${left.slice(start, start + 120)} instead of ${right.slice(start, start + 120)}`;
}
