// A module that is written as text.

/** The bytes of a text in base64. */
export function bytesOf(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}
