import { readTokenKey, type TokenKey } from './jwk.js';

/** A kid that is safe to repeat. */
const printableKid = (entry: unknown): string => {
  const kid = (entry as { kid?: unknown } | null)?.kid;
  return typeof kid === 'string' && /^[\x20-\x7e]{1,128}$/.test(kid) ? ` (kid ${JSON.stringify(kid)})` : '';
};

/**
 * Reads AUTH_JWT_KEYS: a JSON array of JSON Web Keys (RFC 7517), one of which signs. An empty array counts as unset.
 * @returns the keys, or all faults in one text, which names entries by position and kid and repeats no value (SEC-74)
 */
export function parseTokenKeys(text: string): { value: readonly TokenKey[] } | { fault: string } {
  let entries: unknown;
  try {
    entries = JSON.parse(text);
  } catch {
    // The message of JSON.parse repeats a part of the text.
    return { fault: 'must be a JSON array of keys, and is no JSON' };
  }
  if (!Array.isArray(entries)) return { fault: 'must be a JSON array of keys' };
  if (entries.length === 0) return { value: [] };

  const faults: string[] = [];
  const keys: TokenKey[] = [];
  const positions = new Map<string, number[]>();
  const signing: number[] = [];
  for (const [index, entry] of entries.entries()) {
    const read = readTokenKey(entry);
    const name = `entry ${index + 1}${printableKid(entry)}`;
    const kid = 'key' in read ? read.key.kid : (entry as { kid?: unknown } | null)?.kid;
    if (typeof kid === 'string') positions.set(kid, [...(positions.get(kid) ?? []), index + 1]);
    const ops = (entry as { key_ops?: unknown } | null)?.key_ops;
    if (Array.isArray(ops) && ops.includes('sign')) signing.push(index + 1);
    if ('key' in read) keys.push(read.key);
    else faults.push(...read.faults.map((fault) => `${name} ${fault}`));
  }
  for (const same of positions.values()) {
    if (same.length > 1) faults.push(`entries ${same.join(' and ')} have the same kid`);
  }
  if (signing.length === 0) faults.push('no entry signs: one must have "sign" in its key_ops');
  if (signing.length > 1) faults.push(`entries ${signing.join(' and ')} sign: only one may have "sign" in its key_ops`);
  if (faults.length === 0) return { value: keys };
  return {
    fault: faults.length === 1 ? `is wrong: ${faults[0]}` : `has ${faults.length} faults: ${faults.join('; ')}`,
  };
}
