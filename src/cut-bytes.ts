/** @returns the beginning of a text of others that is too long, e.g. for an answer or the log */
export function cutBytes(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  // A character that is cut in half becomes U+FFFD.
  return Buffer.from(text)
    .subarray(0, maxBytes)
    .toString('utf8')
    .replace(/\ufffd+$/, '');
}
