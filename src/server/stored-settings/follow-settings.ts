/** Keeps the configuration of a process equal to what the database sets, and says there which set the process uses. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { isSqlError } from '../../db/errors.js';
import { followChanges } from '../../db/follow-changes.js';
import {
  forgetSettingProcess,
  noteSettingProcess,
  notifyOfSettings,
  readNewestSettings,
} from '../../db/stored-settings.js';
import type { Log } from '../telemetry/log.js';
import type { SettingSource, SourcedLoad } from './setting-source.js';

/** A process that has not been seen for so long counts as gone. */
export const GONE_SECONDS = 100;
/** A set that could not be put in place is tried again after so long. */
const RETRY_MS = 30_000;
const MISSING_TABLE = '42P01';
const UNREADABLE = 'The settings in the database cannot be read';

export interface FollowSettingsOptions {
  readonly source: SettingSource;
  /** Of the start. */
  readonly first: SourcedLoad;
  /** What the last load has found. */
  readonly lastLoad: () => SourcedLoad;
  /** Loads everything and puts it in place. @returns why not; null: it is in place */
  readonly reload: (reason: string) => Promise<string | null>;
  readonly log: Log;
}

/** @returns a function that ends it */
export function followSettings({ source, first, lastLoad, reload, log }: FollowSettingsOptions): () => Promise<void> {
  const id = randomUUID();
  const { db, channel } = source;
  let used = first.version;
  let seen = first.unread === null ? first.newest : -1;
  let error: string | null = first.problem;
  let failedAtMs: number | null = null;
  let noted = '';
  let isFailing = false;

  async function look(): Promise<void> {
    try {
      await lookOnce();
      isFailing = false;
    } catch (cause) {
      const { message } = cause as Error;
      // Without a database others say so.
      if (!isFailing && isSqlError(cause)) log.error({ component: 'config', error: message }, UNREADABLE);
      isFailing = true;
      throw cause;
    }
  }

  async function lookOnce(): Promise<void> {
    const newest = await readNewest();
    const isDue = failedAtMs !== null && Date.now() - failedAtMs >= RETRY_MS;
    if (newest !== seen || isDue) await adopt();
    await note();
  }

  /** @returns 0 while the table is still to be made */
  async function readNewest(): Promise<number> {
    try {
      return await readNewestSettings(db);
    } catch (cause) {
      if ((cause as { code?: string }).code === MISSING_TABLE) return 0;
      throw cause;
    }
  }

  async function adopt(): Promise<void> {
    const failure = await reload('database');
    const { unread, problem, version } = lastLoad();
    // The database went away in between: the next look tries again.
    if (unread !== null) throw new Error(unread);
    seen = lastLoad().newest;
    failedAtMs = failure === null ? null : Date.now();
    error = failure ?? problem;
    if (failure === null) used = version;
  }

  /** Only what is new, or what others would soon forget. */
  async function note(): Promise<void> {
    const state = JSON.stringify([used, error, Math.floor(Date.now() / 25_000)]);
    if (state === noted) return;
    try {
      await noteSettingProcess(db, { id, host: hostname(), version: used, error }, GONE_SECONDS);
      noted = state;
    } catch (cause) {
      if ((cause as { code?: string }).code !== MISSING_TABLE) throw cause;
    }
  }

  const follower = followChanges({
    url: source.databaseUrl,
    channel,
    log,
    notify: (payload) => notifyOfSettings(db, channel, payload),
    look,
  });
  return async () => {
    await follower.close();
    await forgetSettingProcess(db, id).catch(() => undefined);
  };
}
