/**
 * After a change of AUTH_JWT_SECRET the secrets of providers are sealed with the new one, so that the earlier one can be
 * dropped from AUTH_JWT_PREVIOUS_SECRETS.
 */
import { listCustomProviders, resealCustomProvider } from '../../../db/custom-providers.js';
import type { Database } from '../../../db/types.js';
import type { TextSealer } from '../../sealing.js';
import type { Log } from '../../telemetry/log.js';

/** Until the database is there. */
const RETRY_MS = 30_000;

/** Starts in the background. @returns a function that stops further attempts */
export function startRenewal(db: Database, sealer: TextSealer, log: Pick<Log, 'warn'>): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  async function attempt(): Promise<void> {
    try {
      for (const { id, sealed_secret: before } of await listCustomProviders(db, '')) {
        const after = sealer.renew(id, before);
        if (after !== null) await resealCustomProvider(db, id, before, after);
      }
    } catch (error) {
      if (isClosed) return;
      const fields = { component: 'providers', reason: (error as Error).message };
      log.warn(fields, 'Client secrets of providers are not sealed with the new AUTH_JWT_SECRET yet.');
      timer = setTimeout(() => void attempt(), RETRY_MS).unref();
    }
  }

  timer = setTimeout(() => void attempt(), 0).unref();
  return () => {
    isClosed = true;
    clearTimeout(timer);
  };
}
