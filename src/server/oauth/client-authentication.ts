/** How a client proves who it is (RFC 6749 2.3), at every endpoint that clients call. */
import { cachedClient, findClient, type OauthClientRow } from '../../db/oauth-clients.js';
import { type ApiError, apiError } from '../errors.js';
import { type AssertionApp, type PresentedAssertion, proveByAssertion } from './client-assertion.js';
import { answersTo, clientKey } from './client-id.js';
import { KEY_METHOD } from './client-key-fields.js';
import { isClientSecret } from './client-secret.js';

/** What a request presents. */
export interface PresentedClient {
  /** Value of the header Authorization. */
  readonly authorization: string | undefined;
  /** From the body. */
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  readonly assertion: PresentedAssertion;
}

export interface AuthenticatedClient {
  readonly client: OauthClientRow;
  /** It comes from memory: the client may have changed, so the next statement compares its version. */
  readonly isCached: boolean;
}

interface Credentials {
  readonly method: Presented;
  readonly id: string;
  /** The ways in which the secret may be meant. */
  readonly secrets: readonly string[];
}

/**
 * @param mayBeCached where the statement that follows compares the version of the client
 * @throws ApiError clientNotProven; CryptoPoolFullError when too many assertions wait
 */
export async function authenticateClient(
  app: AssertionApp,
  presented: PresentedClient,
  mayBeCached: boolean,
): Promise<AuthenticatedClient> {
  const isBasic = presented.authorization?.startsWith('Basic ') === true;
  const refuse = (reason: string): ApiError =>
    apiError('clientNotProven', { reason }, isBasic ? { headers: { 'WWW-Authenticate': 'Basic realm="oauth"' } } : {});
  const { assertion, clientId = '' } = presented;
  if (assertion.type !== undefined || assertion.text !== undefined) {
    // One way at a time (RFC 6749 2.3).
    if (isBasic || presented.clientSecret !== undefined) throw refuse('a secret and an assertion were used');
    const proven = await proveByAssertion(app, assertion, clientId);
    if ('fault' in proven) throw refuse(proven.fault);
    return { client: proven.client, isCached: false };
  }
  const found = isBasic ? readBasic(presented.authorization!) : readBody(presented);
  if (found.every(({ id }) => id === '')) throw refuse('client_id is required');
  let fault: string | null = null;
  for (const credentials of found) {
    const key = clientKey(app.config, credentials.id);
    if (key === null) continue;
    const cached = mayBeCached ? cachedClient(app.db, key) : undefined;
    if (cached !== undefined && findFault(cached, credentials) === null) return { client: cached, isCached: true };
    // A refusal is never based on memory.
    const client = await findClient(app.db, key);
    const reason: string | null = client === undefined ? (fault ?? UNKNOWN) : findFault(client, credentials);
    if (client !== undefined && reason === null) return { client, isCached: false };
    fault = reason ?? fault;
  }
  throw refuse(fault ?? 'client_id has an invalid format');
}

/** A secret in the header and one in the body prove the same: RFC 6749 2.3.1 has the server take either. */
type Presented = 'none' | 'a secret';

const UNKNOWN = 'unknown client or wrong secret';

function findFault(client: OauthClientRow, { method, id, secrets }: Credentials): string | null {
  if (!answersTo(client, id)) return UNKNOWN;
  if ((client.auth_method === 'none') !== (method === 'none') || client.auth_method === KEY_METHOD) {
    return `client is registered for '${client.auth_method}' but ${method === 'none' ? 'no secret' : method} was used`;
  }
  if (method === 'none') return null;
  return secrets.some((secret) => isClientSecret(secret, client.secret_hash)) ? null : UNKNOWN;
}

function readBody({ clientId = '', clientSecret = '' }: PresentedClient): Credentials[] {
  const method = clientSecret === '' ? 'none' : 'a secret';
  return [{ method, id: clientId, secrets: [clientSecret] }];
}

/** Both parts are encoded as in forms (RFC 6749 2.3.1). Many clients forget that, so they are also taken as they are. */
function readBasic(authorization: string): Credentials[] {
  const text = Buffer.from(authorization.slice('Basic '.length).trim(), 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon === -1) return [];
  const raw = [text.slice(0, colon), text.slice(colon + 1)] as const;
  const [id, secret] = raw.map(decodeFormText);
  const method = 'a secret';
  const secrets = [...(secret === undefined ? [] : [secret]), raw[1]];
  return id === undefined || id === raw[0]
    ? [{ method, id: raw[0], secrets }]
    : [
        { method, id, secrets },
        { method, id: raw[0], secrets },
      ];
}

/** @returns undefined when the encoding is broken */
function decodeFormText(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
