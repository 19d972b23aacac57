import {
  type FactorVerdict,
  findGoneFactors,
  type ImportFactor,
  type ImportPasskey,
  importFactors,
  importPasskeys,
  removeFactors,
} from '../../../db/import-factors.js';
import type { SupabaseAuthReader } from '../../../db/supabase-auth.js';
import type { Database } from '../../../db/types.js';
import type { RowResult, Stage } from '../../importing/stage.js';

const results: Readonly<Record<FactorVerdict, RowResult>> = {
  imported: 'imported',
  changed: 'changed',
  same: 'skipped',
  there: 'skipped',
  // Its account was refused, left out or deleted here, and is counted there.
  no_account: 'skipped',
  kept: 'kept',
  deleted: 'kept',
  name: { reason: 'another factor of the account has its name' },
  phone: { reason: 'another factor of the account has its number' },
  set: { reason: 'the account has other recovery codes' },
  credential: { reason: 'its credential is registered already' },
  raced: { reason: 'its id, name, number or credential is there twice, or was taken meanwhile' },
};

const toResult = (verdict: FactorVerdict): RowResult => results[verdict];

/** A factor that came with an earlier run and was removed there since is removed here, too, unless it has changed here. */
export const factorStage = (
  db: Database,
  peer: Pick<SupabaseAuthReader, 'findPresent'>,
  rows: Stage<ImportFactor>['rows'],
): Stage<ImportFactor> => ({
  name: 'factors',
  rows,
  store: async (factors) => (await importFactors(db, factors)).map(toResult),
  keysOf: ({ factor: { id, credential } }) => [id, ...(credential === null ? [] : [`credential ${credential['id']}`])],
  findGone: (after, upTo, present) => removeGone(db, peer, 'factors', [after, upTo, present]),
});

export const passkeyStage = (
  db: Database,
  peer: Pick<SupabaseAuthReader, 'findPresent'>,
  rows: Stage<ImportPasskey>['rows'],
): Stage<ImportPasskey> => ({
  name: 'passkeys',
  rows,
  store: async (passkeys) => (await importPasskeys(db, passkeys)).map(toResult),
  keysOf: ({ id, credential_id }) => [id, `credential ${credential_id}`],
  findGone: (after, upTo, present) => removeGone(db, peer, 'passkeys', [after, upTo, present]),
});

/** Those of an account that was deleted there stay with it. */
async function removeGone(
  db: Database,
  peer: Pick<SupabaseAuthReader, 'findPresent'>,
  what: 'factors' | 'passkeys',
  [after, upTo, present]: [string | null, string | null, readonly string[]],
): Promise<number> {
  const gone = await findGoneFactors(db, what, after, upTo, present);
  if (gone.length === 0) return 0;
  const accounts = new Set(await peer.findPresent('accounts', [...new Set(gone.map(({ user_id }) => user_id))]));
  const ids = gone.filter(({ user_id }) => accounts.has(user_id)).map(({ id }) => id);
  return ids.length === 0 ? 0 : removeFactors(db, what, ids);
}
