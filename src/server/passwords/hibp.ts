/** Leaked passwords, asked of haveibeenpwned.com or a mirror by the first five digits of the SHA-1. */
import { lruByOwner } from '../../caching/lru.js';
import type { Config } from '../config/settings.js';
import { BreakerOpenError, FAILURES_TO_OPEN, makeBreaker, OPEN_SECONDS } from '../outbound/breaker.js';
import { callOut } from '../outbound/outbound.js';
import type { Log } from '../telemetry/log.js';
import type { LeakedList } from './contract.js';
import { parseRange, type Range, rangeHas } from './range.js';

/** The limit of a request at sign-up, which waits for it. */
export const RANGE_SECONDS = 1.5;
const MAX_PREFIXES = 2000;
const KEEP_MS = 24 * 3600 * 1000;
/** 2,000 answers have some 16 MB. */
const MAX_BYTES = 64 * 1024 * 1024;

interface CachedRange {
  readonly range: Range;
  readonly fetchedMs: number;
}

const rangesOf = lruByOwner<object, CachedRange>({
  maxEntries: MAX_PREFIXES,
  maxCharacters: MAX_BYTES,
  countCharacters: ({ range }) => Math.max(1, range.byteLength),
});

interface HibpOptions {
  readonly config: Pick<Config, 'hibpApiUrl' | 'hibpUserAgent'>;
  readonly log: Pick<Log, 'warn' | 'info'>;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
}

/** Answers are kept for a day; requests for one prefix share a call; after failures in a row calls pause. */
export function openHibp({ config, log, now = () => performance.now() }: HibpOptions): LeakedList {
  const cache = rangesOf({});
  const running = new Map<string, Promise<Range>>();
  const breaker = makeBreaker({ isFailure: () => true, onChange: (isOpen) => reportBreaker(log, isOpen), now });

  async function fetchRange(prefix: string): Promise<Range> {
    const range = await breaker.run(async () => {
      const { status, text } = await callOut({
        url: `${config.hibpApiUrl}/range/${prefix}`,
        // The padding hides from observers of the connection how many suffixes the prefix has.
        headers: { 'User-Agent': config.hibpUserAgent, 'Add-Padding': 'true', Accept: 'text/plain' },
        totalSeconds: RANGE_SECONDS,
      });
      if (status !== 200) throw new Error(`The service answered with status ${status}`);
      return parseRange(text);
    });
    cache.set(prefix, { range, fetchedMs: now() });
    return range;
  }

  function readRange(prefix: string): Promise<Range> | Range {
    const cached = cache.get(prefix);
    if (cached !== undefined && now() - cached.fetchedMs < KEEP_MS) return cached.range;
    let call = running.get(prefix);
    if (call === undefined) {
      call = fetchRange(prefix).finally(() => running.delete(prefix));
      running.set(prefix, call);
    }
    return call;
  }

  return {
    async has(digest) {
      const digits = digest.toString('hex').toUpperCase();
      return rangeHas(await readRange(digits.slice(0, 5)), digits.slice(5));
    },
  };
}

function reportBreaker(log: HibpOptions['log'], isOpen: boolean): void {
  const context = { component: 'passwords' };
  const pause = `the next try is in ${OPEN_SECONDS} s. Check AUTH_PASSWORD_HIBP_API_URL`;
  if (isOpen) log.warn(context, `${FAILURES_TO_OPEN} leaked-password checks failed in a row; ${pause}`);
  else log.info(context, 'the leaked-password check works again');
}

/** The breaker has reported its failures already. */
export const isReported = (error: unknown): boolean => error instanceof BreakerOpenError;
