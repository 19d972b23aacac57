/** A client proves who it is by a JWT that its key has signed (RFC 7523 3, OpenID Connect Core 9). */
import { createHash } from 'node:crypto';
import { useProof } from '../../db/dpop.js';
import { findClient, type OauthClientRow } from '../../db/oauth-clients.js';
import { issuerBase, issuerOf } from '../keys/issuer.js';
import type { App } from '../runtime/app.js';
import { answersTo, clientKey } from './client-id.js';
import { KEY_METHOD } from './client-key-fields.js';
import { keysOfClient } from './client-keys.js';

export type AssertionApp = Pick<App, 'config' | 'crypto' | 'db' | 'clientDocuments'>;

/** What a request presents. */
export interface PresentedAssertion {
  /** client_assertion_type and client_assertion; undefined: not sent. */
  readonly type: string | undefined;
  readonly text: string | undefined;
  /** Of the request. */
  readonly path: string;
}

export type Proven = { readonly client: OauthClientRow } | { readonly fault: string };

export const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const MAX_CHARACTERS = 8192;
const MAX_JTI_CHARACTERS = 512;
/** An assertion is made for its request. */
const MAX_LIFE_SECONDS = 300;
/** Of clocks that differ (docs/decisions.md, Access token verification). */
const LEEWAY_SECONDS = 30;

const UNKNOWN = 'unknown client or wrong assertion';

/**
 * Verifies an assertion, and uses it up.
 * @param clientId parameter client_id, which need not be there; empty: it is not
 * @throws CryptoPoolFullError when too many assertions wait
 */
export async function proveByAssertion(
  app: AssertionApp,
  { type, text = '', path }: PresentedAssertion,
  clientId: string,
): Promise<Proven> {
  if (type !== ASSERTION_TYPE) return { fault: `client_assertion_type must be ${ASSERTION_TYPE}` };
  const claimed = text.length > MAX_CHARACTERS ? null : readSubject(text);
  if (claimed === null) return { fault: 'client_assertion is no JWT whose iss and sub are the client_id' };
  const key = clientKey(app.config, claimed);
  const client = key === null ? undefined : await findClient(app.db, key);
  if (client === undefined || !answersTo(client, claimed)) return { fault: UNKNOWN };
  if (clientId !== '' && !answersTo(client, clientId)) return { fault: 'client_id is not that of the assertion' };
  if (client.auth_method !== KEY_METHOD) {
    return { fault: `client is registered for '${client.auth_method}' but an assertion was used` };
  }
  const signed = await verifySignature(app, client, text);
  if (signed.refusal !== undefined) return { fault: `client_assertion is refused: ${signed.refusal}` };
  const { claims } = signed;
  const nowSeconds = Math.floor(Date.now() / 1000);
  const isSame = claims['iss'] === claimed && claims['sub'] === claimed;
  const fault = isSame ? findFault(app.config, claims, path, nowSeconds) : 'iss and sub must be the client_id';
  if (fault !== null) return { fault: `client_assertion is refused: ${fault}` };
  const id = createHash('sha256')
    .update(JSON.stringify(['client assertion', client.id, claims['jti']]))
    .digest();
  const isNew = await useProof(app.db, id, Math.ceil(Number(claims['exp'])) + LEEWAY_SECONDS);
  return isNew ? { client } : { fault: 'client_assertion is refused: it was used before' };
}

async function verifySignature(app: AssertionApp, client: OauthClientRow, assertion: string) {
  const keys = await keysOfClient(app, client, false);
  const signed = await app.crypto.verifyClientAssertion({ assertion, keys });
  if (signed.refusal === undefined || !signed.isKeyUnknown || client.jwks_uri === null) return signed;
  const newer = await keysOfClient(app, client, true);
  return newer === keys ? signed : app.crypto.verifyClientAssertion({ assertion, keys: newer });
}

/** Nothing is verified yet. @returns who the assertion says has made it; null: it is none */
function readSubject(text: string): string | null {
  const [, payload = '', ...others] = text.split('.');
  if (others.length !== 1) return null;
  try {
    const { iss, sub } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
    return typeof sub === 'string' && sub !== '' && iss === sub ? sub : null;
  } catch {
    return null;
  }
}

function findFault(
  config: App['config'],
  { aud, exp, nbf, iat, jti }: Readonly<Record<string, unknown>>,
  path: string,
  nowSeconds: number,
): string | null {
  const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
  if (!isForUs(config, aud, path)) return 'aud must be the issuer or the token endpoint, and nothing else';
  if (!isTime(exp)) return 'exp is missing';
  if (exp + LEEWAY_SECONDS <= nowSeconds) return 'it has expired';
  if (exp > nowSeconds + MAX_LIFE_SECONDS + LEEWAY_SECONDS) return `exp is more than ${MAX_LIFE_SECONDS} seconds ahead`;
  for (const [name, value] of Object.entries({ nbf, iat })) {
    if (value === undefined) continue;
    if (!isTime(value) || value > nowSeconds + LEEWAY_SECONDS) return `${name} is in the future`;
  }
  const isNamed = typeof jti === 'string' && jti !== '' && jti.length <= MAX_JTI_CHARACTERS;
  return isNamed ? null : 'jti is missing or too long';
}

/**
 * One that other servers would take, too, might have been made for them. The endpoint that is called is as good as that of tokens
 * (RFC 9126 2).
 */
function isForUs(config: App['config'], aud: unknown, path: string): boolean {
  const bases = [issuerBase(config), config.apiExternalUrl.replace(/\/+$/, '')];
  const own = [issuerOf(config), ...bases.flatMap((base) => [base, `${base}/oauth/token`, base + path])];
  const named = [aud].flat();
  return named.length > 0 && named.every((one) => own.includes(one as string));
}
