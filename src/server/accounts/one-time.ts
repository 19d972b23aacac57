import { randomBytes, randomInt } from 'node:crypto';
import type { OneTimeTokenInput } from '../../db/users.js';
import type { App } from '../app.js';

/** What a code or link proves. One of each kind is out per account; a newer one ends the older (SEC-38). */
export type OneTimeKind = 'confirmation' | 'email_change_current' | 'email_change_new' | 'phone_change';

export interface MintedToken {
  /** Numeric code, leading zeros kept. */
  readonly code: string;
  /** 56 hex digits (224 random bits), the shape clients of the compatible peer know; null where no link is sent. */
  readonly linkToken: string | null;
  /** What is stored: hashes only (SEC-36, SEC-37). */
  readonly stored: OneTimeTokenInput;
}

/** Makes a code and, for mail, a link; both from the system's generator, hashed in the crypto pool. */
export async function mintOneTimeToken(
  app: Pick<App, 'config' | 'crypto'>,
  kind: OneTimeKind,
  recipient: { channel: 'email' | 'phone'; address: string },
  redirectTo: string | null,
): Promise<MintedToken> {
  const isMail = recipient.channel === 'email';
  const digits = isMail ? app.config.mailerOtpLength : app.config.smsOtpLength;
  const code = String(randomInt(10 ** digits)).padStart(digits, '0');
  const linkToken = isMail ? randomBytes(28).toString('hex') : null;
  const [codeHash, linkHash] = await Promise.all([
    app.crypto.hashOneTimeCode(kind, recipient.address, code),
    linkToken === null ? null : app.crypto.hashOneTimeCode('link', '', linkToken),
  ]);
  return {
    code,
    linkToken,
    stored: { kind, recipient: recipient.address, link_hash: linkHash, code_hash: codeHash, redirect_to: redirectTo },
  };
}
