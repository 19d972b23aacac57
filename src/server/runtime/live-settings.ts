/** The configuration of a process: loaded from all sources, and reloaded while the server runs. */
import type { ConfigSources } from '../config/load.js';
import { followSettings } from '../stored-settings/follow-settings.js';
import { openSettingSource, type SourcedLoad } from '../stored-settings/setting-source.js';
import type { Log } from '../telemetry/log.js';
import { openReloader, type Reloader } from './reloader.js';
import type { RunningServer } from './server.js';

export interface LiveSettings {
  /** Of the start. */
  readonly first: SourcedLoad;
  /** Whether the server may serve requests with it: the database has said what it sets. */
  readonly isSettled: boolean;
  /** Logs what the start should know. */
  logNotices(log: Log): void;
  /** Follows the database from now on. */
  follow(server: Pick<RunningServer, 'reload' | 'generation'>, log: Log): Reloader;
  close(): Promise<void>;
}

/** @throws ConfigError */
export async function openLiveSettings(sources: ConfigSources): Promise<LiveSettings> {
  const source = openSettingSource(sources);
  const first = await source.load().catch(async (error: unknown) => {
    await source.close();
    throw error;
  });
  const isSettled = first.unread === null;
  let lastLoad = first;
  let wasRead = isSettled;
  let stopFollowing: (() => Promise<void>) | undefined;
  return {
    first,
    isSettled,
    logNotices(log) {
      for (const { variable, message } of first.loaded.notices) log.warn({ component: 'config', variable }, message);
      if (first.problem !== null) log.error({ component: 'config' }, first.problem);
      if (isSettled) return;
      log.warn({ component: 'config', reason: first.unread }, 'Requests wait for the settings of the database');
    },
    follow(server, log) {
      const load = async () => {
        const found = await source.load();
        if (found.unread === null) wasRead = true;
        else if (!wasRead) throw new Error(`The settings in the database cannot be read: ${found.unread}`);
        if (found.problem !== null && found.problem !== lastLoad.problem) {
          log.error({ component: 'config' }, found.problem);
        }
        lastLoad = found;
        return found.loaded;
      };
      const reloader = openReloader({ load, loaded: first.loaded, server, log, isSettled });
      stopFollowing = followSettings({ source, first, lastLoad: () => lastLoad, reload: reloader.reload, log });
      return reloader;
    },
    async close() {
      await stopFollowing?.();
      await source.close();
    },
  };
}
