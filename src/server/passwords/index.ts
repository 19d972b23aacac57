/** Opens the checks of passwords that are switched on. With all off nothing is loaded and nothing is called. */
import type { Config } from '../config/settings.js';
import type { Log } from '../telemetry/log.js';
import type { CommonPasswords, LeakedList, LeakOutcome, PasswordChecks } from './contract.js';
import { type FilterFile, openFilterFile } from './filter-file.js';
import { FilterFileError } from './filter-format.js';
import { isReported, openHibp } from './hibp.js';

interface ChecksOptions {
  readonly config: Pick<Config, 'hibpEnabled' | 'hibpApiUrl' | 'hibpUserAgent' | 'hibpFile' | 'commonPasswordList'>;
  readonly log: Pick<Log, 'warn' | 'info'>;
  /** Counts since the start, for metrics; a reload hands them on. */
  readonly counts?: Record<LeakOutcome, number>;
}

export const noLeakChecks = (): Record<LeakOutcome, number> => ({ clean: 0, leaked: 0, failed: 0 });

/** @throws FilterFileError that names AUTH_PASSWORD_HIBP_FILE */
export async function openPasswordChecks(options: ChecksOptions): Promise<PasswordChecks> {
  const { config, log, counts: leakChecks = noLeakChecks() } = options;
  const filter = config.hibpFile === '' ? null : await openConfiguredFilter(config.hibpFile);
  const list = filter ?? (config.hibpEnabled ? openHibp(options) : null);
  return {
    leaked: list && counted(list, leakChecks, log),
    common: config.commonPasswordList ? await loadCommonPasswords() : null,
    stats: () => ({ leakChecks, filterBuiltAtSeconds: filter && Date.parse(filter.header.builtAt) / 1000 }),
    close: () => filter?.close(),
  };
}

/** @throws FilterFileError that names AUTH_PASSWORD_HIBP_FILE */
export async function openConfiguredFilter(path: string): Promise<FilterFile> {
  try {
    return await openFilterFile(path);
  } catch (error) {
    if (!(error instanceof FilterFileError)) throw error;
    throw new FilterFileError(`The file of AUTH_PASSWORD_HIBP_FILE, ${path}, ${error.message}`, { cause: error.cause });
  }
}

async function loadCommonPasswords(): Promise<CommonPasswords> {
  const [{ readCommonList }, { COMMON_HASHES }] = await Promise.all([
    import('./common-list.js'),
    import('./common-hashes.js'),
  ]);
  return readCommonList(COMMON_HASHES);
}

/** Failures are logged here, since most callers go on without an answer. */
function counted(list: LeakedList, counts: Record<LeakOutcome, number>, log: ChecksOptions['log']): LeakedList {
  return {
    async has(digest) {
      try {
        const isLeaked = await list.has(digest);
        counts[isLeaked ? 'leaked' : 'clean'] += 1;
        return isLeaked;
      } catch (error) {
        counts.failed += 1;
        if (!isReported(error)) log.warn({ component: 'passwords', err: error }, 'a leaked-password check failed');
        throw error;
      }
    },
  };
}
