import {
  type ImportSsoProvider,
  importSsoProviders,
  type JudgedSsoProvider,
  removeGoneSsoProviders,
  type SsoVerdict,
} from '../../../db/import-sso.js';
import type { Database } from '../../../db/types.js';
import type { RowResult, Stage } from '../../importing/stage.js';

const results: Readonly<Record<Exclude<SsoVerdict, 'domain'>, RowResult>> = {
  imported: 'imported',
  changed: 'changed',
  same: 'skipped',
  there: 'skipped',
  kept: 'kept',
  deleted: 'kept',
  entity_id: { reason: 'another provider here has its entity id: delete that one, and import again' },
  resource_id: { reason: 'another provider here has its resource_id: change one of them, and import again' },
  raced: { reason: 'its id, entity id or a domain was taken meanwhile' },
};

const toResult = ({ verdict, taken, taken_by }: JudgedSsoProvider): RowResult =>
  verdict === 'domain'
    ? {
        reason: `provider ${taken_by} here has its domain ${taken}, whatever the case: remove it from one of them, and import again`,
      }
    : results[verdict];

/** A provider that came with an earlier run and was deleted there since is deleted here, too, unless it has changed here. */
export const ssoStage = (db: Database, rows: Stage<ImportSsoProvider>['rows']): Stage<ImportSsoProvider> => ({
  name: 'sso_providers',
  rows,
  store: async (providers) => (await importSsoProviders(db, providers)).map(toResult),
  keysOf: ({ id }) => [id],
  findGone: (after, upTo, present) => removeGoneSsoProviders(db, { after, upTo, present }),
});
