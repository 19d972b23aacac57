/** How the kinds of rows are read on both sides, and compared. */
import type { SupabaseAuthReader } from '../../../db/supabase-auth.js';
import type { FactorTables } from '../../../db/supabase-auth-factors.js';
import type { Database } from '../../../db/types.js';
import {
  type MovedKind,
  readStoredAccounts,
  readStoredClients,
  readStoredConsents,
  readStoredFactors,
  readStoredPasskeys,
  readStoredProviders,
  readStoredSessions,
  readStoredSsoProviders,
} from '../../../db/verify.js';
import type { Config } from '../../config/settings.js';
import { type LEFT_OUT, type RowDefaults, readRow } from '../../importing/rows.js';
import { readMovedClient } from './client-rows.js';
import { readConsent } from './consent-rows.js';
import {
  accountDifferences,
  clientDifferences,
  consentDifferences,
  factorDifferences,
  passkeyDifferences,
  providerDifferences,
  sessionDifferences,
  ssoProviderDifferences,
} from './differences.js';
import { readFactor } from './factor-rows.js';
import type { ImportKeys } from './import-keys.js';
import { readPasskey } from './passkey-rows.js';
import { readMovedProvider } from './provider-rows.js';
import { readSession } from './session-rows.js';
import { openMetadataReader, readMovedSsoProvider } from './sso-provider-rows.js';

/** What is compared, and how its rows are read. */
export interface Sides {
  readonly keys: ImportKeys;
  readonly db: Database;
  readonly peer: SupabaseAuthReader;
  readonly config: Config;
  readonly defaults: RowDefaults;
}

/** How rows of one kind are read and compared. */
export interface Kind<Row, Item, Stored> {
  readonly what: MovedKind;
  readPage(after: string, most: number): Promise<readonly Row[]>;
  idOf(row: Row): string;
  /** @throws RowFault */
  readItem(row: Row): Item | typeof LEFT_OUT;
  /** @param rows of these ids, in order */
  readStored(ids: readonly string[], rows: readonly Row[]): Promise<readonly Stored[]>;
  differencesOf(item: Item, stored: Stored): string[];
}

const kindOf = <Row, Item, Stored>(kind: Kind<Row, Item, Stored>): Kind<Row, Item, Stored> => kind;

export const accountKind = ({ db, peer, defaults }: Sides) =>
  kindOf({
    what: 'accounts',
    readPage: peer.readUsers,
    idOf: ({ user }) => user.id,
    readItem: ({ user, identities }) => readRow({ ...user, identities: identities ?? [] }, defaults),
    readStored: (ids) => readStoredAccounts(db, ids),
    differencesOf: accountDifferences,
  });

export const sessionKind = ({ db, peer, keys }: Sides) =>
  kindOf({
    what: 'sessions',
    readPage: peer.readSessions,
    idOf: ({ session }) => session.id,
    readItem: (row) => readSession(row, keys),
    readStored: (ids) => readStoredSessions(db, ids),
    differencesOf: sessionDifferences,
  });

export const factorKind = ({ db, peer, keys }: Sides, tables: FactorTables) =>
  kindOf({
    what: 'factors',
    readPage: (after, most) => peer.readFactors(after, most, tables),
    idOf: ({ factor }) => factor.id,
    readItem: (row) => readFactor(row, keys),
    readStored: (ids) => readStoredFactors(db, ids),
    differencesOf: (item, stored) => factorDifferences(item, stored, keys.secrets),
  });

export const passkeyKind = ({ db, peer }: Sides) =>
  kindOf({
    what: 'passkeys',
    readPage: peer.readPasskeys,
    idOf: ({ passkey }) => passkey.id,
    readItem: readPasskey,
    readStored: (ids) => readStoredPasskeys(db, ids),
    differencesOf: passkeyDifferences,
  });

export const providerKind = ({ db, peer, keys }: Sides) =>
  kindOf({
    what: 'providers',
    readPage: peer.readProviders,
    idOf: ({ id }) => id,
    readItem: (row) => readMovedProvider(row, keys),
    readStored: (ids) => readStoredProviders(db, ids),
    differencesOf: (item, stored) => providerDifferences(item, stored, keys.providerSecrets),
  });

export const ssoProviderKind = ({ db, peer }: Sides) => {
  const readMetadata = openMetadataReader();
  return kindOf({
    what: 'sso_providers',
    readPage: peer.readSsoProviders,
    idOf: ({ id }) => id,
    readItem: (row) => readMovedSsoProvider(row, readMetadata),
    readStored: (ids) => readStoredSsoProviders(db, ids),
    differencesOf: ssoProviderDifferences,
  });
};

export const clientKind = ({ db, peer, config }: Sides) =>
  kindOf({
    what: 'clients',
    readPage: peer.readClients,
    idOf: ({ id }) => id,
    readItem: (row) => readMovedClient(row, config),
    readStored: (ids) => readStoredClients(db, ids),
    differencesOf: clientDifferences,
  });

export const consentKind = ({ db, peer }: Sides) =>
  kindOf({
    what: 'consents',
    readPage: peer.readConsents,
    idOf: ({ id }) => id,
    readItem: readConsent,
    readStored: (_ids, rows) => readStoredConsents(db, rows),
    differencesOf: consentDifferences,
  });
