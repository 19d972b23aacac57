/** Reads sessions of supabase/auth with their refresh tokens. */
import { isIP } from 'node:net';
import type { ImportedToken, ImportSession } from '../../../db/import-sessions.js';
import type { SupabaseAuthSession, SupabaseAuthSessionFactor, SupabaseAuthToken } from '../../../db/supabase-auth.js';
import { isUuid } from '../../../db/uuid.js';
import { factorKinds, RECOVERY_METHOD } from '../../factors/kinds.js';
import { type Fields, LEFT_OUT, openColumn, RowFault, readText, readTime } from '../../importing/rows.js';
import type { TextSealer } from '../../sealing/text-sealer.js';
import type { Keys } from '../../sessions/keys.js';
import { hashOpaqueToken } from '../../sessions/peer-token.js';
import { openRefreshToken } from '../../sessions/refresh-token.js';
import { digestOf } from './digest.js';
import type { ImportKeys } from './import-keys.js';

/** Generation of a session whose tokens have no counter: room for the two kinds of older ones. */
const FIRST_GENERATION = 2;
const KEY_BYTES = 32;
const SSO_METHOD = 'sso/saml';
const LEVELS = new Set(['aal1', 'aal2', 'aal3']);
/** Kind of factor → its method in amr. */
const methods: ReadonlyMap<string, string> = new Map([
  ...Object.entries(factorKinds).map(([kind, { method }]) => [kind, method] as const),
  ['recovery_code', RECOVERY_METHOD],
]);

/**
 * Reads one session. The token that is current gets the session's generation, its parent the one before, all others the
 * one before that, so that the refresh grant judges them as it judges tokens of ours.
 * @returns LEFT_OUT for a session of an OAuth client that was deleted
 * @throws RowFault
 */
export function readSession(row: SupabaseAuthSession, { keys, secrets }: ImportKeys): ImportSession | typeof LEFT_OUT {
  const { session, tokens: listed } = row;
  const client = readSessionClient(session);
  if (client.oauth_client_id !== null && !row.has_client) return LEFT_OUT;
  const { id } = session;
  const userId = readText(session, 'user_id') ?? '';
  if (!isUuid(userId)) throw new RowFault('user_id is not a UUID');
  const tokens = listed ?? [];
  const active = tokens.find(({ revoked }) => revoked !== true);
  const named = readNamedKey(session, secrets);
  const generation = named?.counter ?? readGeneration(tokens, active, { id, keys });
  const created_at = readTime(session, 'created_at') ?? readTime(session, 'updated_at');
  if (created_at === null) throw new RowFault('created_at is missing');
  const aal = readLevel(session);
  const sso = readSsoProvider(row);
  const amr = readMethods(row.claims ?? [], sso);
  const facts = {
    id,
    user_id: userId.toLowerCase(),
    generation,
    refreshed_at: readRefreshTime(session, tokens),
    aal,
    amr,
    second_factors: aal === 'aal1' ? null : readSecondFactors(row.factors ?? [], amr),
    user_agent: readText(session, 'user_agent'),
    ip: readIp(session),
    tag: readText(session, 'tag'),
    not_after: readTime(session, 'not_after'),
    // Where reuse was detected, no token is left that is not revoked.
    revoked_at: named === null && tokens[0] !== undefined && active === undefined ? lastChange(tokens[0]) : null,
    created_at,
  };
  const stored = hashTokens(tokens, active, generation, { id, keys });
  const namedHash = named === null ? null : hashOpaqueToken(named.key, keys.movedToken.current);
  return {
    session: {
      ...facts,
      ...client,
      sso_provider_id: sso,
      digest: digestOf([facts, stored, namedHash, ...(client.oauth_client_id === null ? [] : [client])]),
      token_key: named === null ? null : keys.movedTokenSealer.seal(id, named.key),
    },
    tokens: stored,
  };
}

/** The scopes of a session from before its table had them are unknown: its tokens grant none, as there. */
function readSessionClient(session: Fields): Pick<ImportSession['session'], 'oauth_client_id' | 'client'> {
  const id = readText(session, 'oauth_client_id');
  if (id === null) return { oauth_client_id: null, client: null };
  const scope = [...new Set((readText(session, 'scopes') ?? '').split(' ').filter(Boolean))].join(' ');
  return { oauth_client_id: id, client: { client_id: id, scope } };
}

/** Tokens of ours are there after `users export`: the generations of the others follow from theirs. */
function readGeneration(
  tokens: readonly SupabaseAuthToken[],
  active: SupabaseAuthToken | undefined,
  { id, keys }: { id: string; keys: Keys },
): number {
  let newest: { token: SupabaseAuthToken; generation: number } | undefined;
  for (const token of tokens) {
    const generation = generationOf(token.token, id, keys) ?? -1;
    if (generation > (newest?.generation ?? -1)) newest = { token, generation };
  }
  if (newest === undefined) return FIRST_GENERATION;
  if (newest.token === (active ?? tokens[0])) return newest.generation;
  return newest.generation + (newest.token.token === active?.parent ? 1 : 2);
}

/** Of a token of ours. */
function generationOf(token: string | null | undefined, sessionId: string, keys: Keys): number | undefined {
  const own = openRefreshToken(token ?? '', keys.refreshToken.accepted(Date.now()));
  return own?.sessionId === sessionId ? own.generation : undefined;
}

function hashTokens(
  tokens: readonly SupabaseAuthToken[],
  active: SupabaseAuthToken | undefined,
  generation: number,
  { id, keys }: { id: string; keys: Keys },
): ImportedToken[] {
  const hashed: ImportedToken[] = [];
  for (const { token, revoked } of tokens) {
    // A token of ours needs no row.
    if (!token || generationOf(token, id, keys) !== undefined) continue;
    const age = revoked !== true ? 0 : token === active?.parent ? 1 : 2;
    hashed.push({ token_hash: hashOpaqueToken(token, keys.movedToken.current), generation: generation - age });
  }
  return hashed;
}

/** Key and counter of version 2. */
function readNamedKey(
  session: SupabaseAuthSession['session'],
  secrets: TextSealer,
): { key: string; counter: number } | null {
  const text = readText(session, 'refresh_token_hmac_key');
  const counter = session['refresh_token_counter'];
  if (text === null || counter === null || counter === undefined) return null;
  const key = Buffer.from(openColumn(secrets, session.id, 'refresh_token_hmac_key', text), 'base64');
  if (key.length !== KEY_BYTES) throw new RowFault('refresh_token_hmac_key is not base64 of 32 bytes');
  if (!Number.isSafeInteger(counter) || (counter as number) < 0)
    throw new RowFault('refresh_token_counter is no count');
  return { key: key.toString('base64url'), counter: counter as number };
}

/** Older releases wrote no refreshed_at: then the newest token, unless it is the first. */
const readRefreshTime = (session: Fields, tokens: readonly SupabaseAuthToken[]): string | null =>
  readUtc(session, 'refreshed_at') ?? (tokens.length > 1 ? tokens[0]!.created_at : null);

/** A column without time zone, in UTC. */
function readUtc(session: Fields, name: string): string | null {
  const text = session[name];
  const hasZone = typeof text !== 'string' || /(Z|[+-]\d\d(:?\d\d)?)$/.test(text.slice(10));
  return readTime(hasZone ? session : { [name]: `${text}Z` }, name);
}

const lastChange = ({ updated_at, created_at }: SupabaseAuthToken): string =>
  updated_at ?? created_at ?? new Date().toISOString();

function readLevel(session: Fields): string {
  const level = readText(session, 'aal') ?? 'aal1';
  if (!LEVELS.has(level)) throw new RowFault('aal is not aal1, aal2 or aal3');
  return level;
}

function readIp(session: Fields): string | null {
  const ip = readText(session, 'ip')?.replace(/\/\d+$/, '') ?? '';
  return isIP(ip) === 0 ? null : ip;
}

/**
 * There a session names the last factor that has raised it. A method from before is attributed to the factor of its kind
 * that was challenged last.
 */
function readSecondFactors(
  factors: readonly SupabaseAuthSessionFactor[],
  amr: ImportSession['session']['amr'],
): Record<string, string> | null {
  const raised: Record<string, string> = {};
  for (const { id, factor_type } of factors) {
    const method = methods.get(factor_type);
    if (method !== undefined && amr.some((entry) => entry.method === method)) raised[method] ??= id;
  }
  return Object.keys(raised).length === 0 ? null : raised;
}

/** Of a session that began at a company: which provider, so that its end ends the session. Older rows do not say it. */
function readSsoProvider({ claims, sso }: SupabaseAuthSession): string | null {
  const id = sso?.slice('sso:'.length) ?? '';
  return isUuid(id) && claims?.some((claim) => claim['authentication_method'] === SSO_METHOD) ? id.toLowerCase() : null;
}

/** Newest first. @param sso provider of the company */
function readMethods(claims: readonly Fields[], sso: string | null): ImportSession['session']['amr'] {
  return claims
    .map((claim) => ({
      method: readText(claim, 'authentication_method') ?? '',
      timestamp: Math.floor(Date.parse(readTime(claim, 'updated_at') ?? readTime(claim, 'created_at') ?? '') / 1000),
    }))
    .filter(({ method, timestamp }) => method !== '' && Number.isSafeInteger(timestamp))
    .sort((a, b) => b.timestamp - a.timestamp || (a.method < b.method ? -1 : 1))
    .map((entry) => (entry.method === SSO_METHOD && sso !== null ? { ...entry, provider: sso } : entry));
}
