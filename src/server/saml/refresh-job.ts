/** Reads metadata again before it ends, and warns of certificates that end. */
import { listDueRefreshes, listSsoProviders } from '../../db/sso-providers.js';
import type { App } from '../runtime/app.js';
import { refreshIfDue } from './refresh-metadata.js';

const EVERY_MS = 300_000;
const MOST_AT_ONCE = 20;
const WARN_DAYS = 30;
const DAY_MS = 86_400_000;
/** As in the statement: of several threads one reads it. */
const MIN_SECONDS = 600;

/** @param everyMs for tests. @returns ends it */
export function startMetadataRefresh(app: App, everyMs = EVERY_MS): () => void {
  let warnedAt = 0;
  let isRunning = false;
  const run = async (): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    try {
      for (const provider of await listDueRefreshes(app.db, MOST_AT_ONCE)) {
        await refreshIfDue(app, provider, MIN_SECONDS, 'it was due');
      }
      if (Date.now() - warnedAt < DAY_MS) return;
      warnedAt = Date.now();
      await warnOfEnds(app);
    } catch (error) {
      app.log.warn({ component: 'sso', error: (error as Error).message }, 'Metadata that is due cannot be looked up');
    } finally {
      isRunning = false;
    }
  };
  const timer = setInterval(() => void run(), everyMs).unref();
  return () => clearInterval(timer);
}

async function warnOfEnds({ db, log }: App): Promise<void> {
  const limit = Date.now() + WARN_DAYS * DAY_MS;
  for (const { id, entity_id, metadata, disabled } of await listSsoProviders(db, null, null)) {
    const ends = metadata.certificates.map(({ not_after }) => Date.parse(not_after));
    const last = Math.max(...ends);
    const fields = { component: 'sso', provider: id, entity_id };
    if (disabled !== true && last < limit) {
      log.warn({ ...fields, ends_at: new Date(last).toISOString() }, 'The certificate of an identity provider ends');
    }
  }
}
