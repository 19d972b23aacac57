/** One answer of the range API: the leaked suffixes of a prefix (https://haveibeenpwned.com/API/v3#PwnedPasswords). */

/** SHA-1 hashes of one prefix, without it. */
export type Range = Uint32Array;

/** 64 bits of a suffix are kept: with about 1,000 suffixes, a wrong match has a chance of 1 in 10^16. */
const KEPT_DIGITS = 16;
const LINE = /^([0-9A-F]{35}):(\d+)$/i;

/**
 * Reads `SUFFIX:COUNT` lines. A count of 0 is padding.
 * @throws Error for anything else, such as a page of a proxy
 */
export function parseRange(text: string): Range {
  const words: number[] = [];
  for (const line of text.split('\n')) {
    const trimmed = line.trim();
    if (trimmed === '') continue;
    const [, suffix, count] = LINE.exec(trimmed) ?? [];
    if (suffix === undefined) throw new Error('The answer is not a list of hash suffixes');
    if (!/^0+$/.test(count!)) words.push(...splitSuffix(suffix));
  }
  return Uint32Array.from(words);
}

/** @param suffix the last 35 hexadecimal digits of a SHA-1 */
export function rangeHas(range: Range, suffix: string): boolean {
  const [high, low] = splitSuffix(suffix);
  for (let at = 0; at < range.length; at += 2) if (range[at] === high && range[at + 1] === low) return true;
  return false;
}

const splitSuffix = (suffix: string): [number, number] => [
  Number.parseInt(suffix.slice(0, KEPT_DIGITS / 2), 16),
  Number.parseInt(suffix.slice(KEPT_DIGITS / 2, KEPT_DIGITS), 16),
];
