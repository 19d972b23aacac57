/**
 * The hash by which Citus distributes rows by uuid: that of Postgres, `hash_bytes` of 16 bytes (src/common/hashfn.c, after
 * https://burtleburtle.net/bob/c/lookup3.c). test/citus compares it with `worker_hash`.
 */

const rotate = (word: number, bits: number): number => (word << bits) | (word >>> (32 - bits));

/** Eight hexadecimal digits as a word, of which the first byte is the lowest. */
function readWord(id: string, at: number): number {
  const word = Number.parseInt(id.slice(at, at + 8), 16);
  return (word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24);
}

/**
 * @param id a uuid as 36 characters
 * @returns a signed number of 32 bits
 */
export function hashUuid(id: string): number {
  const digits = id.slice(0, 8) + id.slice(9, 13) + id.slice(14, 18) + id.slice(19, 23) + id.slice(24);
  let a = (0x9e3779b9 + 16 + 3923095) | 0;
  let b = (a + readWord(digits, 8)) | 0;
  let c = (a + readWord(digits, 16)) | 0;
  a = (a + readWord(digits, 0)) | 0;

  a = (a - c) ^ rotate(c, 4);
  c = (c + b) | 0;
  b = (b - a) ^ rotate(a, 6);
  a = (a + c) | 0;
  c = (c - b) ^ rotate(b, 8);
  b = (b + a) | 0;
  a = (a - c) ^ rotate(c, 16);
  c = (c + b) | 0;
  b = (b - a) ^ rotate(a, 19);
  a = (a + c) | 0;
  c = (c - b) ^ rotate(b, 4);
  b = (b + a) | 0;

  a = (a + readWord(digits, 24)) | 0;

  c = ((c ^ b) - rotate(b, 14)) | 0;
  a = ((a ^ c) - rotate(c, 11)) | 0;
  b = ((b ^ a) - rotate(a, 25)) | 0;
  c = ((c ^ b) - rotate(b, 16)) | 0;
  a = ((a ^ c) - rotate(c, 4)) | 0;
  b = ((b ^ a) - rotate(a, 14)) | 0;
  return ((c ^ b) - rotate(b, 24)) | 0;
}
