/** Rows of a file that want the same: the database says it once the first is stored, a trial has to find it by itself. */
import type { ImportAccount } from '../../db/import.js';
import { noteImportKeys } from '../../db/import-runs.js';
import type { Statements } from '../../db/types.js';
import { openRowIds } from '../importing/file-rows.js';
import type { RawRecord } from '../importing/records.js';
import type { RowResult } from '../importing/stage.js';
import type { App } from '../runtime/app.js';

interface Wanted {
  readonly hash: string;
  readonly field: string;
  readonly index: number;
  readonly line: number;
}

/** Changes the outcome of rows that want what an earlier row of the file has. */
export async function refuseRepeats(
  { config }: Pick<App, 'config'>,
  statements: Statements,
  runId: string,
  records: readonly RawRecord[],
  accounts: readonly (ImportAccount | undefined)[],
  outcomes: RowResult[],
): Promise<void> {
  // Keyed by the secret of the server, so that the hashes say nothing about who was in the file.
  const hashOf = openRowIds(config);
  const wanted: Wanted[] = accounts.flatMap((account, index) => {
    if (account === undefined || outcomes[index] !== 'imported') return [];
    const { line } = records[index]!;
    return keysOf(account).map(([field, key]) => ({
      hash: hashOf(Buffer.from(`key ${field} ${key}`)),
      ...{ field, index, line },
    }));
  });
  if (wanted.length === 0) return;
  const pairs = wanted.map(({ hash, line }) => [hash, line] as const);
  const firstLines = new Map(await noteImportKeys(statements, runId, pairs));
  const faults = new Map<number, { readonly field: string; readonly message: string }[]>();
  for (const { hash, field, index, line } of wanted) {
    const first = firstLines.get(hash);
    if (first === undefined) firstLines.set(hash, line);
    else faults.set(index, [...(faults.get(index) ?? []), { field, message: `its ${field} is in line ${first}, too` }]);
  }
  for (const [index, found] of faults) {
    outcomes[index] = { reason: found.map(({ message }) => message).join('; '), faults: found };
  }
}

function keysOf({ user, identities }: ImportAccount): readonly (readonly [field: string, key: string])[] {
  const { id, email, phone, is_sso_user: isSso } = user;
  return [
    ['id', id],
    // Addresses of accounts of an SSO provider belong to others, too.
    ...(email === null || isSso ? [] : [['email', email] as const]),
    ...(phone === null || isSso ? [] : [['phone', phone] as const]),
    ...identities
      .filter(({ provider_id: there }) => there !== id)
      .map((one) => ['identities', `${one.provider} ${one.provider_id}`] as const),
  ];
}
