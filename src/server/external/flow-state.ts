import { createHash, createHmac, type KeyObject, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';

/**
 * Parameters of a sign-in at a provider (SEC-60, SEC-61). `state` is base64url of the flow's id and its MAC, so a
 * forged one is rejected without a query. Verifier and nonce are derived from the id, so neither is stored.
 */
export interface FlowSecrets {
  readonly flowId: string;
  readonly state: string;
  /** RFC 7636 4.1; 43 characters. */
  readonly codeVerifier: string;
  readonly nonce: string;
}

const ID_BYTES = 16;
const MAC_BYTES = 16;

/** @param key the current one of Keys.flow */
export const makeFlowSecrets = (key: KeyObject): FlowSecrets => deriveSecrets(randomUUID(), key);

/**
 * @param keys all accepted keys of Keys.flow
 * @returns undefined when no key matches
 */
export function openState(state: string, keys: readonly KeyObject[]): FlowSecrets | undefined {
  const opened = openTicket('state', state, keys);
  return opened && deriveSecrets(opened.id, opened.key);
}

/** What the MAC of an id is good for; one of another purpose does not match. */
type TicketPurpose = 'state' | 'trace link' | 'trace' | 'trace browser';

/** An id that nobody can make up: base64url of the id and its MAC; 43 characters. @param key the current one of Keys.flow */
export function makeTicket(purpose: TicketPurpose, uuid: string, key: KeyObject): string {
  const id = Buffer.from(uuid.replaceAll('-', ''), 'hex');
  return Buffer.concat([id, derive(key, purpose, id).subarray(0, MAC_BYTES)]).toString('base64url');
}

/**
 * @param keys all accepted keys of Keys.flow
 * @returns the id, and the key that made the ticket; undefined when no key matches
 */
export function openTicket(
  purpose: TicketPurpose,
  ticket: string,
  keys: readonly KeyObject[],
): { readonly id: string; readonly key: KeyObject } | undefined {
  if (!/^[A-Za-z0-9_-]{43}$/.test(ticket)) return undefined;
  const bytes = Buffer.from(ticket, 'base64url');
  // Only the canonical encoding: decoding ignores spare bits of the last base64url character.
  if (bytes.length !== ID_BYTES + MAC_BYTES || bytes.toString('base64url') !== ticket) return undefined;
  const id = bytes.subarray(0, ID_BYTES);
  const key = keys.find((known) =>
    timingSafeEqual(derive(known, purpose, id).subarray(0, MAC_BYTES), bytes.subarray(ID_BYTES)),
  );
  if (key === undefined) return undefined;
  const hex = id.toString('hex');
  return {
    id: [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-'),
    key,
  };
}

function deriveSecrets(flowId: string, key: KeyObject): FlowSecrets {
  const id = Buffer.from(flowId.replaceAll('-', ''), 'hex');
  return {
    flowId,
    state: makeTicket('state', flowId, key),
    codeVerifier: derive(key, 'code verifier', id).toString('base64url'),
    nonce: derive(key, 'nonce', id).toString('base64url'),
  };
}

const derive = (key: KeyObject, purpose: string, id: Buffer): Buffer =>
  createHmac('sha256', key).update(purpose).update(id).digest();

/** Kept in a cookie; a flow stores its hash and continues only in that browser. */
export const makeBrowserSecret = (): string => randomBytes(32).toString('base64url');

export const isBrowserSecret = (text: string | undefined): text is string => /^[A-Za-z0-9_-]{43}$/.test(text ?? '');

/** Without salt: the secret is 256 random bits. */
export const hashBrowserSecret = (secret: string): string => createHash('sha256').update(secret).digest('base64url');
