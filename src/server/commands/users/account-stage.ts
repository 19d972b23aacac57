import { findGoneAccounts, type ImportAccount, type ImportVerdict, importUsers } from '../../../db/import.js';
import type { Database } from '../../../db/types.js';
import type { RowResult, Stage } from './stage.js';

const results: Readonly<Record<ImportVerdict, RowResult>> = {
  imported: 'imported',
  changed: 'changed',
  there: 'skipped',
  same: 'skipped',
  kept: 'kept',
  deleted: 'kept',
  email: { reason: 'its email belongs to another account' },
  phone: { reason: 'its phone belongs to another account' },
  identity: { reason: 'one of its identities belongs to another account' },
  raced: { reason: 'its id, email or phone is there twice, or was taken meanwhile' },
};

/** @param onGone called with each account that came with an earlier run and has been deleted there since; absent: a file */
export function accountStage(
  db: Database,
  rows: Stage<ImportAccount>['rows'],
  onGone?: (id: string) => void,
): Stage<ImportAccount> {
  return {
    name: 'accounts',
    rows,
    store: async (accounts) => (await importUsers(db, accounts)).map((verdict) => results[verdict]),
    keysOf: ({ user, identities }) => [
      `id ${user.id}`,
      ...identities.map((one) => `identity ${one.provider} ${one.provider_id}`),
    ],
    ...(onGone && {
      findGone: async (after: string | null, upTo: string | null, present: readonly string[]) => {
        const ids = await findGoneAccounts(db, after, upTo, present);
        for (const id of ids) onGone(id);
        return ids.length;
      },
    }),
  };
}
