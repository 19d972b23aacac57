/** What operators do with the keys of access tokens, by the rules of `latchkey keys`. */
import { listSigningKeys, type SigningKeyRow } from '../../db/signing-keys.js';
import { type AuditAction, type AuditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { apiError } from '../errors.js';
import { type DescribedKey, describeStoredKey } from '../keys/describe.js';
import { type GeneratedAlgorithm, generateTokenKey } from '../keys/generate.js';
import {
  advanceKeys,
  KeyChangeError,
  previousSeconds,
  promoteKey,
  retireKey,
  revokeKey,
  startRotation,
} from '../keys/rotation.js';
import { type KeyStore, openKeyStore } from '../keys/stored-keys.js';
import type { App } from '../runtime/app.js';
import { type OperatorDeed, operatorEntry } from './operator-audit.js';

export interface SigningKeys {
  readonly source: App['config']['jwtKeysSource'];
  /** Kid of the key that signs in the process that answers; empty: AUTH_JWT_SECRET. */
  readonly signing_kid: string;
  /** AUTH_JWT_EXP: no token lives longer. */
  readonly token_seconds: number;
  /** Null: no rotation starts by itself. */
  readonly rotates_every_seconds: number | null;
  readonly keys: readonly DescribedKey[];
}

/** Keys in the database, or those of the settings, which say nothing of time. */
export async function readSigningKeys({ config, db, tokenKeys }: App): Promise<SigningKeys> {
  const stored = config.jwtKeysSource === 'database';
  return {
    source: config.jwtKeysSource,
    signing_kid: tokenKeys.accepted(Date.now()).signing.kid,
    token_seconds: config.jwtExpiresInSeconds,
    rotates_every_seconds: stored ? config.jwtKeysRotateEverySeconds : null,
    keys: stored ? await describeAll(openKeyStore(db, config)) : describeSettings(config),
  };
}

async function describeAll(store: KeyStore): Promise<readonly DescribedKey[]> {
  const rows = await listSigningKeys(store.db);
  return rows.map((row) => describeStoredKey(row, previousSeconds(store)));
}

const describeSettings = ({ jwtKeys }: App['config']): readonly DescribedKey[] =>
  jwtKeys.map(({ kid, alg, signs }) => ({
    ...{ kid, alg, state: signs ? 'active' : 'previous', since: '' },
    ...{ next_state_at: null, last_used_at: null, tokens_live_until: null },
  }));

export interface Rotation {
  readonly alg: GeneratedAlgorithm;
  /** How long the key is published before it signs. */
  readonly waitSeconds: number;
}

/** Does nothing while a rotation is under way. @throws ApiError signingKeysInSettings */
export const rotateSigningKeys = (app: App, deed: OperatorDeed, { alg, waitSeconds }: Rotation): Promise<void> =>
  change(app, deed, 'signing_keys_rotated', async (store) => {
    // What is due by itself is no change of the operator's.
    await advanceKeys(openKeyStore(app.db, app.config));
    await startRotation(store, generateTokenKey(alg, null), waitSeconds);
  });

/** @throws ApiError signingKeyNotFound, signingKeyState, signingKeysInSettings */
export const promoteSigningKey = (app: App, deed: OperatorDeed, kid: string): Promise<void> =>
  change(app, deed, 'signing_key_promoted', (store) => promoteKey(store, kid));

/** Not while its tokens may live: then the key is revoked. @throws as promoteSigningKey */
export const retireSigningKey = (app: App, deed: OperatorDeed, kid: string): Promise<void> =>
  change(app, deed, 'signing_key_retired', (store) => retireKey(store, kid, false));

/** @throws as promoteSigningKey */
export const revokeSigningKey = (app: App, deed: OperatorDeed, kid: string): Promise<void> =>
  change(app, deed, 'signing_key_revoked', async (store) => {
    await revokeKey(store, kid, generateTokenKey('ES256', null));
  });

async function change(
  app: App,
  deed: OperatorDeed,
  action: AuditAction,
  work: (store: KeyStore) => Promise<unknown>,
): Promise<void> {
  if (app.config.jwtKeysSource !== 'database') throw apiError('signingKeysInSettings');
  let audit: readonly AuditEntry[] = [];
  const auditOf = (before: readonly SigningKeyRow[], after: readonly SigningKeyRow[]) => {
    audit = [operatorEntry(deed, action, changedStates(before, after))];
    return storedAudit(app, audit);
  };
  try {
    await work({ ...openKeyStore(app.db, app.config), auditOf });
  } catch (error) {
    if (!(error instanceof KeyChangeError)) throw error;
    if (error.kind === 'unknown') throw apiError('signingKeyNotFound');
    const reason =
      error.kind === 'live' ? 'its tokens may live. Wait until they have expired, or revoke it' : error.message;
    throw apiError('signingKeyState', { reason });
  }
  logAudit(app, deed.requestId, audit);
  // This process follows at once, the others by notification.
  await app.tokenKeys.refresh?.();
}

/** The states of the keys that differ; null: there was no such key. */
function changedStates(before: readonly SigningKeyRow[], after: readonly SigningKeyRow[]) {
  const was = new Map(before.map(({ kid, state }) => [kid, state]));
  const changed = after.filter(({ kid, state }) => was.get(kid) !== state);
  return {
    before: Object.fromEntries(changed.map(({ kid }) => [kid, was.get(kid) ?? null])),
    after: Object.fromEntries(changed.map(({ kid, state }) => [kid, state])),
  };
}
