import { findGoneAccounts, type ImportAccount, type ImportVerdict, importUsers } from '../../db/import.js';
import type { Database, Statements } from '../../db/types.js';
import type { RowResult, Stage } from './stage.js';

const results: Readonly<Record<ImportVerdict, RowResult>> = {
  imported: 'imported',
  changed: 'changed',
  there: 'skipped',
  same: 'skipped',
  kept: 'kept',
  deleted: 'kept',
  email: refusal('its email belongs to another account', 'email'),
  phone: refusal('its phone belongs to another account', 'phone'),
  identity: refusal('one of its identities belongs to another account', 'identities'),
  raced: refusal('its id, email or phone is there twice, or was taken meanwhile', null),
};

function refusal(reason: string, field: string | null): RowResult {
  return { reason, faults: [{ field, message: reason }] };
}

/** Stores accounts with their identities. @param isDry only says what would become of them */
export const storeAccounts = async (
  db: Statements,
  accounts: readonly ImportAccount[],
  isDry = false,
): Promise<RowResult[]> => (await importUsers(db, accounts, isDry)).map((verdict) => results[verdict]);

/** What no two rows may have in common. */
export const keysOfAccount = ({ user, identities }: ImportAccount): readonly string[] => [
  `id ${user.id}`,
  ...identities.map((one) => `identity ${one.provider} ${one.provider_id}`),
];

/** @param onGone called with each account that came with an earlier run and has been deleted there since; absent: a file */
export function accountStage(
  db: Database,
  rows: Stage<ImportAccount>['rows'],
  onGone?: (id: string) => void,
): Stage<ImportAccount> {
  return {
    name: 'accounts',
    rows,
    store: (accounts) => storeAccounts(db, accounts),
    keysOf: keysOfAccount,
    ...(onGone && {
      findGone: async (after: string | null, upTo: string | null, present: readonly string[]) => {
        const ids = await findGoneAccounts(db, after, upTo, present);
        for (const id of ids) onGone(id);
        return ids.length;
      },
    }),
  };
}
