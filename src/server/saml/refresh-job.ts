/** Reads metadata again before it ends, and warns of certificates and metadata that end. */
import { listDueRefreshes, listSsoProviders } from '../../db/sso-providers.js';
import type { App } from '../runtime/app.js';
import { findComingEnds, newEndWatch } from './coming-ends.js';
import { refreshIfDue } from './refresh-metadata.js';

const EVERY_MS = 300_000;
const MOST_AT_ONCE = 20;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** As in the statement: of several threads one reads it. */
const MIN_SECONDS = 600;

/** @param everyMs for tests. @returns ends it */
export function startMetadataRefresh(app: App, everyMs = EVERY_MS): () => void {
  let isRunning = false;
  const run = async (): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    try {
      for (const provider of await listDueRefreshes(app.db, MOST_AT_ONCE)) {
        await refreshIfDue(app, provider, MIN_SECONDS, 'it was due');
      }
      await lookAtEnds(app, Date.now());
    } catch (error) {
      app.log.warn({ component: 'sso', error: (error as Error).message }, 'Metadata that is due cannot be looked up');
    } finally {
      isRunning = false;
    }
  };
  const timer = setInterval(() => void run(), everyMs).unref();
  return () => clearInterval(timer);
}

/** Counts what ends soon, for the metric, each hour; once a day the log warns of it. */
async function lookAtEnds({ db, log, ssoEnds }: App, nowMs: number): Promise<void> {
  if (nowMs - ssoEnds.lookedAtMs < HOUR_MS) return;
  ssoEnds.lookedAtMs = nowMs;
  const warns = nowMs - ssoEnds.warnedAtMs >= DAY_MS;
  const { counts } = newEndWatch();
  for (const provider of await listSsoProviders(db, null, null)) {
    if (provider.disabled === true) continue;
    for (const { what, endsAt } of findComingEnds(provider, nowMs)) {
      counts[what] += 1;
      const fields = { component: 'sso', provider: provider.id, entity_id: provider.entity_id, ends_at: endsAt };
      if (warns) log.warn(fields, `The ${what} of an identity provider ends`);
    }
  }
  Object.assign(ssoEnds.counts, counts);
  if (warns) ssoEnds.warnedAtMs = nowMs;
}
