/** The configuration of a process: loaded from all sources, and reloaded while the server runs. */
import type { Config, ConfigSources } from '../config/load.js';
import { EngineMissingError } from '../http/engine.js';
import { ListenError } from '../http/listen.js';
import { openSettingSource, type SourcedLoad } from '../stored-settings/setting-source.js';
import type { Log } from '../telemetry/log.js';
import { openReloader, type Reloader } from './reloader.js';
import type { RunningServer, StartOptions } from './server.js';

export interface LiveSettings {
  /** Of the start. */
  readonly first: SourcedLoad;
  /**
   * Logs what the start should know, and starts the server: with an earlier set where its parts cannot be made with the newest.
   * @throws what `open` throws, when that is not for a set
   */
  start<Server>(open: OpenServer<Server>, log: Log): Promise<Server>;
  /** Follows the database from now on. */
  follow(server: FollowingServer, log: Log): Reloader;
}

/** @param stored for the start of the server */
export type OpenServer<Server> = (config: Config, stored: NonNullable<StartOptions['stored']>) => Promise<Server>;

type FollowingServer = Pick<RunningServer, 'reload' | 'generation' | 'followSettings' | 'useSettings'>;

/** A set that could not be put in place is tried again after so long. */
const RETRY_MS = 30_000;

/** A start with so many sets has failed: the next one is without any. */
const MOST_STARTS = 5;

/** @throws ConfigError */
export async function openLiveSettings(sources: ConfigSources): Promise<LiveSettings> {
  const source = openSettingSource(sources);
  let first = await source.load();
  const isKnown = first.unread === null;

  function logNotices(log: Log): void {
    for (const { variable, message } of first.loaded.notices) log.warn({ component: 'config', variable }, message);
    if (first.problem !== null) log.error({ component: 'config' }, first.problem);
    if (isKnown) return;
    log.warn({ component: 'config', reason: first.unread }, 'Requests wait for the settings of the database');
  }

  return {
    get first() {
      return first;
    },
    async start(open, log) {
      logNotices(log);
      for (let tries = 1; ; tries++) {
        const { version, problem, loaded } = first;
        try {
          return await open(loaded.config, { version, error: problem, isKnown });
        } catch (error) {
          // The port and the engine are not settings of the database.
          if (version === 0 || error instanceof ListenError || error instanceof EngineMissingError) throw error;
          const reason = error instanceof Error ? error.message : String(error);
          first = await source.load({ version: tries < MOST_STARTS ? version : 1, reason });
          if (first.problem !== null) log.error({ component: 'config' }, first.problem);
        }
      }
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
