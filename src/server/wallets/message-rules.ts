/** Whether a signed message is one for this server, and for now. */
import type { App } from '../runtime/app.js';
import type { WalletMessage } from './message.js';
import { chainNames, type WalletChain } from './wallet-switches.js';

/**
 * @returns the reason for a refusal; null: none
 */
export function findMessageFault(
  app: Pick<App, 'config' | 'redirects'>,
  chain: WalletChain,
  message: WalletMessage,
  nowMs: number,
): string | null {
  return findPlaceFault(app, chain, message) ?? findTimeFault(chain, message, nowMs, validityMs(app, chain));
}

/** How long a message is accepted after its Issued At. */
export const validityMs = ({ config }: Pick<App, 'config'>, chain: WalletChain): number =>
  1000 *
  (chain === 'solana'
    ? config.externalWeb3SolanaMaximumValidityDurationSeconds
    : config.externalWeb3EthereumMaximumValidityDurationSeconds);

/** A wallet shows its user the domain, and compares it with the site that asks. So it must be that of the URI. */
function findPlaceFault(
  { redirects }: Pick<App, 'redirects'>,
  chain: WalletChain,
  { uri, domain, scheme }: WalletMessage,
): string | null {
  const signed = `Signed ${chainNames[chain]} message`;
  const isLocal = uri.hostname === 'localhost';
  if (uri.protocol !== 'https:' && !(isLocal && uri.protocol === 'http:')) {
    return `${signed} is using URI which does not use HTTPS, and its hostname is not localhost`;
  }
  if (!redirects.check(uri.href).isAllowed) {
    return `${signed} is using URI which is not allowed on this server, message was signed for another app`;
  }
  const origin = `${uri.protocol}//${domain}`;
  const said = URL.canParse(origin) ? new URL(origin) : null;
  const isSame = isLocal ? said?.hostname === uri.hostname : said?.host === uri.host;
  const isAllowed = isSame && (isLocal || redirects.check(`${origin}/`).isAllowed);
  if (!isAllowed) return `${signed} is using a Domain that does not match the one in URI or is not allowed`;
  return scheme === null || `${scheme}:` === uri.protocol ? null : `${signed} has another scheme than its URI`;
}

function findTimeFault(
  chain: WalletChain,
  { issuedAtMs, expiresAtMs, notBeforeMs }: WalletMessage,
  nowMs: number,
  validMs: number,
): string | null {
  const name = chainNames[chain];
  if (notBeforeMs !== null && nowMs < notBeforeMs) return `Signed ${name} message becomes valid in the future`;
  if (expiresAtMs !== null && nowMs >= expiresAtMs) return `Signed ${name} message is expired`;
  if (nowMs > issuedAtMs + validMs) return `${name} message was issued too long ago`;
  if (nowMs < issuedAtMs - validMs) return `${name} message was issued too far in the future`;
  return null;
}
