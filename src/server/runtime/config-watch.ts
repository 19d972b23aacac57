/** Notices changes in the folder of `-d`: by events of the system, or by looking at an interval. */
import { type FSWatcher, statSync, watch } from 'node:fs';
import { listConfigFiles } from '../config/config-directory.js';
import type { LastingConfig } from '../config/settings.js';
import type { Log } from '../telemetry/log.js';

export interface ConfigWatchOptions {
  readonly directory: string;
  readonly config: Pick<
    LastingConfig,
    | 'reloadingNotifyEnabled'
    | 'reloadingPollerEnabled'
    | 'reloadingPollerIntervalSeconds'
    | 'reloadingGracePeriodSeconds'
  >;
  readonly log: Pick<Log, 'warn'>;
  /** Called when something has changed and then nothing for the grace period. */
  readonly onChange: (reason: 'notify' | 'poller') => void;
}

export interface ConfigWatch {
  close(): void;
}

export function watchConfigDirectory({ directory, config, log, onChange }: ConfigWatchOptions): ConfigWatch {
  let watcher: FSWatcher | undefined;
  let poller: NodeJS.Timeout | undefined;
  let quiet: NodeJS.Timeout | undefined;

  /** Any event counts: Kubernetes exchanges a link beside the files. A reload without a difference changes nothing. */
  function changed(reason: 'notify' | 'poller'): void {
    clearTimeout(quiet);
    quiet = setTimeout(() => onChange(reason), config.reloadingGracePeriodSeconds * 1000).unref();
  }

  function poll(): void {
    let before = describeFiles(directory);
    poller = setInterval(() => {
      const now = describeFiles(directory);
      if (now !== before) changed('poller');
      before = now;
    }, config.reloadingPollerIntervalSeconds * 1000).unref();
  }

  function withoutEvents(error: unknown): void {
    watcher?.close();
    watcher = undefined;
    const fields = { component: 'config', directory, error: (error as Error).message };
    if (config.reloadingPollerEnabled) {
      log.warn(fields, 'The system does not report changes of the configuration folder: it is polled');
      poll();
    } else {
      log.warn(
        fields,
        'Changes of the configuration folder are not noticed: send SIGHUP, or set AUTH_RELOADING_POLLER_ENABLED=true',
      );
    }
  }

  if (config.reloadingNotifyEnabled) {
    try {
      watcher = watch(directory, { persistent: false }, () => changed('notify'));
      watcher.on('error', withoutEvents);
    } catch (error) {
      withoutEvents(error);
    }
  } else if (config.reloadingPollerEnabled) poll();

  return {
    close() {
      watcher?.close();
      clearInterval(poller);
      clearTimeout(quiet);
    },
  };
}

/** Names, sizes and times of the files. */
function describeFiles(directory: string): string {
  return listConfigFiles(directory)
    .map((path) => {
      try {
        const { mtimeMs, size } = statSync(path);
        return `${path} ${mtimeMs} ${size}`;
      } catch {
        return path;
      }
    })
    .join('\n');
}
