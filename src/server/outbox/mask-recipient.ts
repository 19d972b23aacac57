const SHOWN_DIGITS = 3;

/** @returns so much of an address or number that its owner recognises it: `a…@example.com`, `…123` */
export function maskRecipient(recipient: string): string {
  const at = recipient.lastIndexOf('@');
  return at < 0
    ? `…${recipient.slice(-SHOWN_DIGITS)}`
    : `${recipient.slice(0, Math.min(1, at))}…${recipient.slice(at)}`;
}
