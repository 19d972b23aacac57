/**
 * Looks which set of settings is the newest, through the connections of a server thread: a connection of its own would not be
 * in AUTH_DB_MAX_POOL_SIZE, and says there which set the process uses.
 */
import { hostname } from 'node:os';
import { lookAgain } from '../../batching/look-again.js';
import { isMissingTable } from '../../db/errors.js';
import { watchLookFailures } from '../../db/look-failures.js';
import { lookAtSettings } from '../../db/stored-settings.js';
import type { Database } from '../../db/types.js';
import type { Log } from '../telemetry/log.js';

/** Which set a process uses. */
export interface SettingUse {
  readonly processId: string;
  /** 0: none. */
  readonly version: number;
  /** Why not the newest one. */
  readonly error: string | null;
  /** False: the database has not been read yet, so no request is served. */
  readonly isKnown: boolean;
}

export interface SettingWatch {
  /** What the process uses from now on. */
  use(use: SettingUse): void;
  /** Looks at once: this thread has stored a set. */
  look(): void;
  close(): void;
}

export interface SettingWatchOptions {
  /** Without the gate of the schema, which waits for the settings. */
  readonly db: Database;
  readonly use: SettingUse;
  readonly log: Pick<Log, 'error'>;
  /** Called after each look. */
  readonly onNewest: (version: number) => void;
}

/** A process that has not been seen for so long counts as gone. */
export const GONE_SECONDS = 60;
/** Every process uses a set within 5 s. */
const LOOK_MS = 3500;
const SOON_MS = 500;

export function watchSettings({ db, log, onNewest, ...options }: SettingWatchOptions): SettingWatch {
  let { use } = options;
  let isFailing = false;
  const failures = watchLookFailures((error) =>
    log.error({ component: 'config', error }, 'The settings in the database cannot be read'),
  );

  async function lookOnce(): Promise<void> {
    try {
      const newest = await lookAtSettings(db, { id: use.processId, host: hostname(), ...use }, GONE_SECONDS);
      isFailing = false;
      failures.clear();
      onNewest(newest);
    } catch (error) {
      // Before the first migration there is no table, and nothing is set.
      if (isMissingTable(error)) return onNewest(0);
      isFailing = true;
      failures.note(error);
    }
  }

  const looks = lookAgain(
    lookOnce,
    () => (use.isKnown && !isFailing ? LOOK_MS : SOON_MS),
    use.isKnown ? LOOK_MS * Math.random() : 0,
  );
  return {
    use(next) {
      use = next;
    },
    look: looks.now,
    close: looks.close,
  };
}
