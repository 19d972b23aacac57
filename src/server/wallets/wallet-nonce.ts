/** Nonces for messages (EIP-4361). Nothing is stored until one is used (webauthn/stateless-challenge.ts). */
import { readUuid } from '../../db/uuid.js';
import type { App } from '../runtime/app.js';
import { type IssuedChallenge, isExpired, issueChallenge, openChallenge } from '../webauthn/stateless-challenge.js';

const PURPOSE = { ceremony: 'wallet_sign_in', owner: '' } as const;

export interface WalletNonce {
  /** 32 letters and digits. */
  readonly nonce: string;
  /** Seconds since the epoch. */
  readonly expires_at: number;
}

export function issueNonce({ config }: Pick<App, 'config'>): WalletNonce {
  const lifetime = Math.max(
    config.externalWeb3SolanaMaximumValidityDurationSeconds,
    config.externalWeb3EthereumMaximumValidityDurationSeconds,
  );
  const { id, expiresAt } = issueChallenge(config, PURPOSE, lifetime);
  return { nonce: id.replaceAll('-', ''), expires_at: expiresAt };
}

/** @returns null for a nonce that was not given out here, or has expired */
export function openNonce({ config }: Pick<App, 'config'>, nonce: string): IssuedChallenge | null {
  if (!/^[0-9a-f]{32}$/.test(nonce)) return null;
  const opened = openChallenge(config, PURPOSE, readUuid(nonce)!);
  return opened === null || isExpired(opened) ? null : opened;
}
