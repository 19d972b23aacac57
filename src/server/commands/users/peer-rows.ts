/** Accounts and sessions of ours as rows of supabase/auth. */
import { randomUUID } from 'node:crypto';
import type { ExportedAccount, ExportedSession } from '../../../db/export.js';
import { isEmptyBatch, type PeerBatch } from '../../../db/to-gotrue.js';
import { NIL_UUID } from '../../../db/uuid.js';
import type { TextSealer } from '../../sealing/text-sealer.js';
import type { Keys } from '../../sessions/keys.js';
import { sealRefreshToken } from '../../sessions/refresh-token.js';
import { type PeerSecrets, toFactorBatches } from './peer-factor-rows.js';
import { isSessionThere, toConsentBatch } from './peer-oauth-rows.js';

/** supabase/auth looks for the nil instance, and reads no null in these columns. */
const EMPTY = {
  instance_id: NIL_UUID,
  confirmation_token: '',
  recovery_token: '',
  email_change_token_new: '',
  email_change: '',
  phone_change: '',
  phone_change_token: '',
  email_change_token_current: '',
  email_change_confirm_status: 0,
  reauthentication_token: '',
};

/** Columns that are not there, or have another name. */
const OURS = {
  password_hash: undefined,
  app_metadata: undefined,
  user_metadata: undefined,
  new_email: undefined,
  new_phone: undefined,
  email_change_confirmations: undefined,
  confirmed_at: undefined,
  factors: undefined,
};

export interface PeerKeys {
  readonly keys: Keys;
  readonly secrets: PeerSecrets;
  /** Opens the secrets of custom providers. */
  readonly providerSecrets: TextSealer;
  /** Only domains of companies that are verified are written. */
  readonly isProofNeeded: boolean;
}

/**
 * @param clients ids of the OAuth clients that are written
 * @param onRefused called with each factor that cannot be written
 * @returns what to write for these accounts, in order
 */
export function toPeerBatches(
  accounts: readonly ExportedAccount[],
  { keys, secrets }: PeerKeys,
  clients: ReadonlySet<string>,
  onRefused: (id: string, reason: string) => void,
): PeerBatch[] {
  const all = accounts.flatMap((account) => account.sessions ?? []);
  const sessions = all.filter((session) => isSessionThere(session, clients));
  const leftOut = all.filter((session) => !isSessionThere(session, clients));
  const isOfUser = ({ oauth_client_id: clientId }: ExportedSession): boolean => clientId === null;
  const tokens = sessions.map((session) => toTokenRows(session, keys, secrets));
  const batches: PeerBatch[] = [
    { into: 'users', rows: accounts.map((account) => toUserRow(account, secrets)) },
    { into: 'identities', rows: accounts.flatMap(({ identities }) => identities ?? []) },
    ...toFactorBatches(accounts, secrets, onRefused),
    toConsentBatch(accounts, clients),
    { deleteFrom: 'sessions', ids: leftOut.map(({ id }) => id) },
    { into: 'sessions', rows: sessions.filter(isOfUser).map(toSessionRow) },
    { into: 'client_sessions', rows: sessions.filter((session) => !isOfUser(session)).map(toClientSessionRow) },
    { into: 'counted_sessions', rows: tokens.flatMap(({ counted }) => counted) },
    { into: 'mfa_amr_claims', rows: sessions.flatMap(toMethodRows) },
    { revoke: tokens.flatMap(({ revoke }) => revoke) },
    { into: 'refresh_tokens', rows: tokens.flatMap(({ issued }) => issued) },
  ];
  return batches.filter((batch) => !isEmptyBatch(batch));
}

/** Of the column there. An encrypted hash that is longer stays in clear, which supabase/auth reads, too. */
const MOST_HASH = 255;

function toPassword({ id, password_hash: hash }: ExportedAccount['user'], { box, encrypts }: PeerSecrets): string {
  if (typeof hash !== 'string') return '';
  const sealed = encrypts ? box.seal(id, hash) : hash;
  return sealed.length > MOST_HASH ? hash : sealed;
}

const toUserRow = ({ user }: ExportedAccount, secrets: PeerSecrets): object => ({
  ...EMPTY,
  ...user,
  encrypted_password: toPassword(user, secrets),
  raw_app_meta_data: user['app_metadata'],
  raw_user_meta_data: user['user_metadata'],
  ...OURS,
});

/** The factor that has raised it last; amr begins with the newest. */
const lastFactorOf = ({
  amr,
  second_factors: raised,
}: Pick<ExportedSession, 'amr' | 'second_factors'>): string | null =>
  amr.map(({ method }) => raised?.[method]).find((id) => id !== undefined) ?? null;

const toSessionRow = ({ id, user_id, created_at, refreshed_at, ...rest }: ExportedSession): object => ({
  factor_id: lastFactorOf(rest),
  id,
  user_id,
  created_at,
  updated_at: refreshed_at ?? created_at,
  refreshed_at,
  aal: rest['aal'],
  not_after: rest['not_after'],
  user_agent: rest['user_agent'],
  ip: rest['ip'],
  tag: rest['tag'],
});

const toClientSessionRow = (session: ExportedSession): object => ({
  ...toSessionRow(session),
  oauth_client_id: session.oauth_client_id,
  scopes: session.client?.scope ?? '',
});

/** One row a method: the newest counts. */
function toMethodRows({ id, amr }: ExportedSession): object[] {
  const newest = new Map<string, number>();
  for (const { method, timestamp } of amr) newest.set(method, Math.max(timestamp, newest.get(method) ?? 0));
  return [...newest].map(([method, timestamp]) => {
    const time = new Date(timestamp * 1000).toISOString();
    return { id: randomUUID(), session_id: id, authentication_method: method, created_at: time, updated_at: time };
  });
}

interface TokenRows {
  readonly counted: readonly object[];
  readonly revoke: readonly string[];
  readonly issued: readonly object[];
}

/**
 * A token of ours, which supabase/auth up to 2.180 takes as any other. An imported session that was not refreshed here has
 * the token it came with: that of version 2 from its key; an opaque one is known only to the database it came from.
 */
function toTokenRows(session: ExportedSession, keys: Keys, { box, encrypts }: PeerSecrets): TokenRows {
  const { id, user_id, generation, moved_generation, token_key, created_at, refreshed_at, revoked_at } = session;
  if (moved_generation === generation && revoked_at === null) {
    const key = token_key === null ? null : keys.movedTokenSealer.open(id, token_key);
    if (key === null) return { counted: [], revoke: [], issued: [] };
    const counted = {
      id,
      user_id,
      refresh_token_hmac_key: encrypts ? box.seal(id, key) : key,
      refresh_token_counter: generation,
    };
    return { counted: [counted], revoke: [], issued: [] };
  }
  const token = sealRefreshToken({ sessionId: id, generation }, keys.refreshToken.current);
  const time = refreshed_at ?? created_at;
  const row = {
    instance_id: NIL_UUID,
    token,
    user_id,
    revoked: revoked_at !== null,
    created_at: time,
    updated_at: revoked_at ?? time,
    parent: '',
    session_id: id,
  };
  return { counted: [], revoke: moved_generation === null ? [] : [id], issued: [row] };
}
