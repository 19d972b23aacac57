/** The configuration of a process: loaded from all sources, and reloaded while the server runs. */
import type { ConfigSources } from '../config/load.js';
import { openSettingSource, type SourcedLoad } from '../stored-settings/setting-source.js';
import type { Log } from '../telemetry/log.js';
import { openReloader, type Reloader } from './reloader.js';
import type { RunningServer, StartOptions } from './server.js';

export interface LiveSettings {
  /** Of the start. */
  readonly first: SourcedLoad;
  /** For the start of the server. */
  readonly stored: NonNullable<StartOptions['stored']>;
  /** Logs what the start should know. */
  logNotices(log: Log): void;
  /** Follows the database from now on. */
  follow(server: FollowingServer, log: Log): Reloader;
}

type FollowingServer = Pick<RunningServer, 'reload' | 'generation' | 'followSettings' | 'useSettings'>;

/** A set that could not be put in place is tried again after so long. */
const RETRY_MS = 30_000;

/** @throws ConfigError */
export async function openLiveSettings(sources: ConfigSources): Promise<LiveSettings> {
  const source = openSettingSource(sources);
  const first = await source.load();
  const isKnown = first.unread === null;
  return {
    first,
    stored: { version: first.version, error: first.problem, isKnown },
    logNotices(log) {
      for (const { variable, message } of first.loaded.notices) log.warn({ component: 'config', variable }, message);
      if (first.problem !== null) log.error({ component: 'config' }, first.problem);
      if (isKnown) return;
      log.warn({ component: 'config', reason: first.unread }, 'Requests wait for the settings of the database');
    },
    follow(server, log) {
      let last = first;
      let used = first.version;
      let wasRead = isKnown;
      let failedAtMs: number | null = null;
      let isReloading = false;
      // The newest set at the last try.
      let seen = isKnown ? first.newest : -1;

      async function load() {
        const found = await source.load();
        if (found.unread === null) wasRead = true;
        else if (!wasRead) throw new Error(`The settings in the database cannot be read: ${found.unread}`);
        if (found.problem !== null && found.problem !== last.problem) log.error({ component: 'config' }, found.problem);
        last = found;
        seen = found.newest;
        return found.loaded;
      }

      const reloader = openReloader({ load, loaded: first.loaded, server, log, isSettled: isKnown });

      async function reload(reason: string): Promise<string | null> {
        const failure = await reloader.reload(reason);
        failedAtMs = failure === null ? null : Date.now();
        if (failure === null) used = last.version;
        server.useSettings({ version: used, error: failure ?? last.problem, isKnown: wasRead });
        return failure;
      }

      server.followSettings((newest) => {
        const isDue = failedAtMs !== null && Date.now() - failedAtMs >= RETRY_MS;
        if (isReloading || !(newest !== seen || isDue)) return;
        isReloading = true;
        void reload('database').finally(() => {
          isReloading = false;
        });
      });
      return { reload };
    },
  };
}
