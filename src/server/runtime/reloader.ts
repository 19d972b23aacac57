/** Reloads the configuration of the running process (docs/decisions.md, Reloading the configuration). */
import { findChanges, mergeReload, type SettingChange } from '../config/changes.js';
import { ConfigError, type LoadedConfig } from '../config/load.js';
import type { Log } from '../telemetry/log.js';
import type { RunningServer } from './server.js';

export interface Reloader {
  /**
   * Reads everything again and puts it in place. Never rejects: what goes wrong is logged, and nothing changes.
   * @returns why the former configuration stays; null: what was read is in use
   */
  reload(reason: string): Promise<string | null>;
}

export interface ReloaderOptions {
  /** Reads the configuration from its sources. @throws ConfigError */
  readonly load: () => Promise<LoadedConfig>;
  /** The configuration of the start. */
  readonly loaded: LoadedConfig;
  readonly server: Pick<RunningServer, 'reload' | 'generation'>;
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
  /** False: the server waits for a first reload, even one that changes nothing. */
  readonly isSettled: boolean;
}

const KEPT = 'The configuration was not reloaded: the former one stays in use';

export function openReloader({ load, loaded, server, log, ...options }: ReloaderOptions): Reloader {
  let running = loaded.config;
  let noticed = new Set(loaded.notices.map(({ message }) => message));
  let { isSettled } = options;
  let last: Promise<string | null> = Promise.resolve(null);

  async function reloadNow(reason: string): Promise<string | null> {
    let next: LoadedConfig;
    try {
      next = await load();
    } catch (error) {
      for (const fields of describeFailure(error)) log.error({ component: 'config', reason, ...fields }, KEPT);
      return error instanceof Error ? error.message : String(error);
    }
    for (const { variable, message } of next.notices) {
      if (!noticed.has(message)) log.warn({ component: 'config', variable }, message);
    }
    noticed = new Set(next.notices.map(({ message }) => message));
    const changes = findChanges(running, next.config);
    const waiting = changes.filter(({ needsRestart }) => needsRestart);
    if (waiting.length > 0) {
      log.warn({ component: 'config', variables: namesOf(waiting) }, 'These settings take effect with a restart');
    }
    const changed = changes.filter(({ needsRestart }) => !needsRestart);
    if (changed.length === 0 && isSettled) {
      log.info({ component: 'config', reason, generation: server.generation }, 'Nothing to reload has changed');
      return null;
    }
    const config = mergeReload(running, next.config);
    try {
      await server.reload(config);
    } catch (error) {
      log.error({ component: 'config', reason, error: String(error) }, KEPT);
      return error instanceof Error ? error.message : String(error);
    }
    running = config;
    isSettled = true;
    const fields = { component: 'config', reason, generation: server.generation, changed: namesOf(changed) };
    log.info(fields, 'The configuration was reloaded');
    return null;
  }

  return {
    reload(reason) {
      // One after the other: each compares with what the one before left.
      last = last.then(() => reloadNow(reason));
      return last;
    },
  };
}

const namesOf = (changes: readonly SettingChange[]): string[] => changes.map(({ variable }) => variable);

/** One entry for each fault, with the name of the setting and the cure, never its value (SEC-74). */
function describeFailure(error: unknown): object[] {
  if (!(error instanceof ConfigError)) return [{ error: error instanceof Error ? error.message : String(error) }];
  return error.faults.map(({ variable, problem, example }) => ({
    variable,
    problem,
    ...(example ? { example: `${variable}=${example}` } : {}),
  }));
}
