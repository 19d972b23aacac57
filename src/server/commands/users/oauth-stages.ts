import {
  type ImportClient,
  type ImportConsent,
  type ImportProvider,
  importClients,
  importConsents,
  importProviders,
  type OauthVerdict,
  removeGoneClients,
  removeGoneProviders,
} from '../../../db/import-oauth.js';
import type { Database } from '../../../db/types.js';
import type { RowResult, Stage } from '../../importing/stage.js';

const results: Readonly<Record<OauthVerdict, RowResult>> = {
  imported: 'imported',
  changed: 'changed',
  same: 'skipped',
  there: 'skipped',
  // Its account or client was refused, left out or deleted here, and is counted there.
  no_account: 'skipped',
  no_client: 'skipped',
  kept: 'kept',
  deleted: 'kept',
  identifier: { reason: 'another provider has its identifier' },
  raced: { reason: 'its id or identifier was taken meanwhile' },
};

const toResult = (verdict: OauthVerdict): RowResult => results[verdict];

/** A client that came with an earlier run and was deleted there since is deleted here, too, unless it has changed here. */
export const clientStage = (db: Database, rows: Stage<ImportClient>['rows']): Stage<ImportClient> => ({
  name: 'clients',
  rows,
  store: async (clients) => (await importClients(db, clients)).map(toResult),
  keysOf: ({ id }) => [id],
  findGone: (after, upTo, present) => removeGoneClients(db, { after, upTo, present }),
});

/** No consent goes there without its account or its client: one that is taken back stays as such. */
export const consentStage = (db: Database, rows: Stage<ImportConsent>['rows']): Stage<ImportConsent> => ({
  name: 'consents',
  rows,
  store: async (consents) => (await importConsents(db, consents)).map(toResult),
  keysOf: ({ id, user_id, client_id }) => [id, `consent ${user_id} ${client_id}`],
});

/** As of clients. */
export const providerStage = (db: Database, rows: Stage<ImportProvider>['rows']): Stage<ImportProvider> => ({
  name: 'providers',
  rows,
  store: async (providers) => (await importProviders(db, providers)).map(toResult),
  keysOf: ({ id, identifier }) => [id, identifier],
  findGone: (after, upTo, present) => removeGoneProviders(db, { after, upTo, present }),
});
