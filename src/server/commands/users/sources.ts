/** Sources of rows: a file, or the tables of supabase/auth. */

import type { ImportAccount } from '../../../db/import.js';
import type { ImportFactor, ImportPasskey } from '../../../db/import-factors.js';
import type { ImportClient, ImportConsent, ImportProvider } from '../../../db/import-oauth.js';
import type { ImportSession } from '../../../db/import-sessions.js';
import type { ImportSsoProvider } from '../../../db/import-sso.js';
import type { SupabaseAuthReader } from '../../../db/supabase-auth.js';
import type { FactorTables } from '../../../db/supabase-auth-factors.js';
import { findInexactNumber } from '../../../exact-numbers.js';
import type { Config } from '../../config/settings.js';
import { apiError } from '../../errors.js';
import { type FileLayout, type FileRules, isBlank, readRecord, recordFormatOf } from '../../importing/file-rows.js';
import { type RecordPlace, readRecords } from '../../importing/records.js';
import { LEFT_OUT, type RowDefaults, RowFault, readRow } from '../../importing/rows.js';
import { BATCH, type Place, type SourceRow } from '../../importing/stage.js';
import { readMovedClient } from './client-rows.js';
import { readConsent } from './consent-rows.js';
import { digestOf } from './digest.js';
import { readFactor } from './factor-rows.js';
import type { ImportKeys } from './import-keys.js';
import { readPasskey } from './passkey-rows.js';
import { readMovedProvider } from './provider-rows.js';
import { readSession } from './session-rows.js';
import { openMetadataReader, readMovedSsoProvider } from './sso-provider-rows.js';

/**
 * Rows of a file. The place of a row is the byte after it, and for CSV the lines before that.
 * @param size of the file, for the progress. @param start of the first row
 */
export async function* rowsOfFile(
  file: string,
  size: number,
  { layout, start }: { readonly layout: FileLayout; readonly start: RecordPlace },
  from: Place,
  rules: FileRules,
): AsyncGenerator<SourceRow<ImportAccount>> {
  const [offset, lines] = (from.place ?? '').split(' ');
  const resumed = { offset: Number(offset), lines: lines === undefined ? from.line : Number(lines) };
  for await (const record of readRecords(file, recordFormatOf(layout), offset === '' ? start : resumed)) {
    if (isBlank(record)) continue;
    const { line, bytes, next } = record;
    yield {
      line,
      place: layout.format === 'csv' ? `${next.offset} ${next.lines}` : String(next.offset),
      share: size === 0 ? 1 : next.offset / size,
      text: bytes.toString('utf8'),
      read: () => readRecord(record, layout, rules),
    };
  }
}

/** @throws RowFault */
function assertExactNumbers(json: string): void {
  const member = findInexactNumber(json);
  if (member !== null) throw new RowFault(apiError('numberInexact', { member }).message);
}

export const accountsOfPeer = (
  peer: SupabaseAuthReader,
  from: Place,
  defaults: RowDefaults,
): AsyncGenerator<SourceRow<ImportAccount>> =>
  rowsOfTable(from, peer.countUsers, peer.readUsers, ({ user, identities, metadata }) => {
    const row = { ...user, identities: identities ?? [] };
    return {
      id: user.id,
      text: JSON.stringify(row),
      read: () => {
        assertExactNumbers(metadata);
        const account = readRow(row, defaults);
        return account === LEFT_OUT ? LEFT_OUT : { ...account, digest: digestOf(account) };
      },
    };
  });

/** As the file of refused rows need not let anyone in, it gets no tokens, nor secrets of factors. */
export const sessionsOfPeer = (
  peer: SupabaseAuthReader,
  from: Place,
  keys: ImportKeys,
): AsyncGenerator<SourceRow<ImportSession>> =>
  rowsOfTable(from, peer.countSessions, peer.readSessions, (row) => ({
    id: row.session.id,
    text: JSON.stringify({ session_id: row.session.id, user_id: row.session['user_id'] }),
    read: () => readSession(row, keys),
  }));

export const factorsOfPeer = (
  peer: SupabaseAuthReader,
  tables: FactorTables,
  from: Place,
  keys: ImportKeys,
): AsyncGenerator<SourceRow<ImportFactor>> =>
  rowsOfTable(
    from,
    peer.countFactors,
    (after, most) => peer.readFactors(after, most, tables),
    (row) => ({
      id: row.factor.id,
      text: JSON.stringify({ factor_id: row.factor.id, user_id: row.factor['user_id'] }),
      read: () => readFactor(row, keys),
    }),
  );

export const passkeysOfPeer = (peer: SupabaseAuthReader, from: Place): AsyncGenerator<SourceRow<ImportPasskey>> =>
  rowsOfTable(from, peer.countPasskeys, peer.readPasskeys, (row) => ({
    id: row.passkey.id,
    text: JSON.stringify({ passkey_id: row.passkey.id, user_id: row.passkey['user_id'] }),
    read: () => readPasskey(row),
  }));

/** Without secrets and their hashes, as above. */
export const clientsOfPeer = (
  peer: SupabaseAuthReader,
  from: Place,
  config: Config,
): AsyncGenerator<SourceRow<ImportClient>> =>
  rowsOfTable(from, peer.countClients, peer.readClients, (row) => ({
    id: row.id,
    text: JSON.stringify({ client_id: row.id, client_name: row['client_name'] }),
    read: () => readMovedClient(row, config),
  }));

export const consentsOfPeer = (peer: SupabaseAuthReader, from: Place): AsyncGenerator<SourceRow<ImportConsent>> =>
  rowsOfTable(from, peer.countConsents, peer.readConsents, (row) => ({
    id: row.id,
    text: JSON.stringify(row),
    read: () => readConsent(row),
  }));

export const providersOfPeer = (
  peer: SupabaseAuthReader,
  from: Place,
  keys: ImportKeys,
): AsyncGenerator<SourceRow<ImportProvider>> =>
  rowsOfTable(from, peer.countProviders, peer.readProviders, (row) => ({
    id: row.id,
    text: JSON.stringify({ provider_id: row.id, identifier: row['identifier'] }),
    read: () => readMovedProvider(row, keys),
  }));

export function ssoProvidersOfPeer(
  peer: SupabaseAuthReader,
  from: Place,
): AsyncGenerator<SourceRow<ImportSsoProvider>> {
  const readMetadata = openMetadataReader();
  return rowsOfTable(from, peer.countSsoProviders, peer.readSsoProviders, (row) => ({
    id: row.id,
    text: JSON.stringify({ sso_provider_id: row.id, domains: row['domains'] }),
    read: () => readMovedSsoProvider(row, readMetadata),
  }));
}

/** Rows by id, a page at a time. @param view what there is to know of one */
async function* rowsOfTable<Row, Item>(
  from: Place,
  count: () => Promise<number>,
  read: (after: string | null, most: number) => Promise<readonly Row[]>,
  view: (row: Row) => Pick<SourceRow<Item>, 'text' | 'read'> & { readonly id: string },
): AsyncGenerator<SourceRow<Item>> {
  const total = Math.max(1, await count());
  let { place: after, line } = from;
  for (;;) {
    const page = await read(after, BATCH);
    for (const row of page) {
      const { id, ...viewed } = view(row);
      line += 1;
      after = id;
      yield { line, place: id, share: Math.min(1, line / total), ...viewed };
    }
    if (page.length < BATCH) return;
  }
}
