import { listCustomProviders, resealCustomProvider } from '../../../db/custom-providers.js';
import type { Database } from '../../../db/types.js';
import { startRenewal } from '../../sealing/renew-sealed.js';
import type { TextSealer } from '../../sealing/text-sealer.js';
import type { Log } from '../../telemetry/log.js';

/** Seals the client secrets of providers anew, in the background. @returns a function that stops it */
export function renewProviderSecrets(db: Database, sealer: TextSealer, log: Pick<Log, 'warn'>): () => void {
  return startRenewal(sealer, {
    // There are a handful, so all are one page.
    async readPage(after) {
      if (after !== null) return [];
      const rows = await listCustomProviders(db, '');
      return rows.map(({ id, sealed_secret }) => ({ id, sealed: sealed_secret }));
    },
    replace: ({ id, sealed: before }, sealed) => resealCustomProvider(db, id, before, sealed),
    warn(reason) {
      const fields = { component: 'providers', reason };
      log.warn(fields, 'Client secrets of providers are not sealed with the new AUTH_JWT_SECRET yet.');
    },
  });
}
