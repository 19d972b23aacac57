import { listSealedProviders, resealCustomProvider } from '../../../db/custom-providers.js';
import type { Database } from '../../../db/types.js';
import { startRenewal } from '../../sealing/renew-sealed.js';
import type { TextSealer } from '../../sealing/text-sealer.js';
import type { Log } from '../../telemetry/log.js';

/** Organizations may have ten each. */
const PAGE = 100;

/** Seals the client secrets of providers anew, in the background. @returns a function that stops it */
export function renewProviderSecrets(db: Database, sealer: TextSealer, log: Pick<Log, 'warn'>): () => void {
  return startRenewal(sealer, {
    readPage: (after) => listSealedProviders(db, after?.id ?? null, PAGE),
    replace: ({ id, sealed: before }, sealed) => resealCustomProvider(db, id, before, sealed),
    warn(reason) {
      const fields = { component: 'providers', reason };
      log.warn(fields, 'Client secrets of providers are not sealed with the new AUTH_JWT_SECRET yet.');
    },
  });
}
