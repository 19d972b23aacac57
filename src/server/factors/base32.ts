/** Base32 (RFC 4648, 6) without padding, as authenticator apps take secrets. */
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** @returns upper case, without padding */
export function encodeBase32(bytes: Buffer): string {
  let text = '';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET[(held >> bits) & 31];
    }
    held &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + ALPHABET[(held << (5 - bits)) & 31];
}

/** @param text in any case, with or without padding @returns null for other characters, or when it is empty */
export function decodeBase32(text: string): Buffer | null {
  const digits = text.replace(/=+$/, '').toUpperCase();
  if (!/^[A-Z2-7]+$/.test(digits)) return null;
  const bytes: number[] = [];
  let bits = 0;
  let held = 0;
  for (const digit of digits) {
    held = (held << 5) | ALPHABET.indexOf(digit);
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push(held >> bits);
    held &= (1 << bits) - 1;
  }
  return bytes.length === 0 ? null : Buffer.from(bytes);
}
