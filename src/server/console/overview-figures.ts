/** The figures of the overview, each with the list behind it. */
import { type DayCount, readActiveNow, readDayCounts, readFigures } from '../../db/figures.js';
import { readClock } from '../../db/health.js';
import type { Database } from '../../db/types.js';
import { noticesOf } from '../config/notices.js';
import { type LiveFigures, mergeFigures } from '../records/live-figures.js';
import type { App } from '../runtime/app.js';

/** A thread reports every ten seconds. */
const FRESH_SECONDS = 30;
/** As `latchkey check clock`. */
const MAX_CLOCK_SECONDS = 10;
const DAY_MS = 86_400_000;
/** With no more sessions active users are counted when they are looked at, which takes some milliseconds. */
const MAX_SESSIONS_READ = 20_000;

interface CountedSeries {
  readonly name: string;
  readonly method: string;
  readonly result: string;
  /** One for each day. */
  readonly counts: readonly number[];
  /** The page of the console that lists what was counted. */
  readonly link: string;
}

/**
 * Active users are counted now where that takes little, else as they were in the last hour.
 * @param mostSessions up to which they are counted now
 * @returns the last of so many days is today (UTC)
 */
export async function readSeries(
  db: Database,
  days: number,
  mostSessions: number = MAX_SESSIONS_READ,
): Promise<{
  readonly days: readonly string[];
  readonly series: readonly CountedSeries[];
  /** RFC 3339: until when active users are counted; null: never yet. */
  readonly active_until: string | null;
}> {
  const now = Date.now();
  const list = Array.from({ length: days }, (_, back) =>
    new Date(now - (days - 1 - back) * DAY_MS).toISOString().slice(0, 10),
  );
  const series = new Map<
    string,
    { -readonly [Key in keyof CountedSeries]: CountedSeries[Key] } & { counts: number[] }
  >();
  const add = ({ day, name, method, result, count }: DayCount): void => {
    const at = list.indexOf(day);
    if (at === -1) return;
    const key = `${name} ${method} ${result}`;
    const known = series.get(key);
    const one = known ?? { name, method, result, counts: list.map(() => 0), link: linkOf({ name, result }, list[0]!) };
    // A user whose sessions have ended stays counted.
    one.counts[at] = Math.max(one.counts[at]!, count);
    series.set(key, one);
  };
  const [counts, active] = await Promise.all([readDayCounts(db, days), readActiveNow(db, mostSessions)]);
  counts.forEach(add);
  if (!active.is_partial) {
    for (const method of ['day', 'week', 'month'] as const) {
      add({ day: list.at(-1)!, name: 'active', method, result: '', count: active[method] });
    }
  }
  const untilMs = active.is_partial ? active.scanned_at && active.scanned_at * 1000 : now;
  const active_until = untilMs === null ? null : new Date(untilMs).toISOString();
  return { days: list, series: [...series.values()], active_until };
}

function linkOf({ name, result }: Pick<DayCount, 'name' | 'result'>, firstDay: string): string {
  if (result !== 'ok' && result !== '') return `/requests?code=${encodeURIComponent(result)}`;
  if (name === 'sign_up') return `/users?created_from=${firstDay}T00:00:00Z`;
  if (name === 'sign_in') return '/activity?action=login';
  return `/users?signed_in_from=${firstDay}T00:00:00Z`;
}

/** What all threads of all processes do, as far as they record it; null: none has reported. */
export async function readLive(db: Database) {
  const threads = await readFigures<LiveFigures>(db, FRESH_SECONDS);
  return threads.length === 0 ? null : mergeFigures(threads);
}

interface CheckFault {
  readonly name: string;
  readonly text: string;
  readonly link: string;
}

/** What the checks that need nobody else find: settings, and the clock. */
export async function findCheckFaults({ config, db }: Pick<App, 'config' | 'db'>): Promise<readonly CheckFault[]> {
  const settings = noticesOf(config).map(({ variable, message }) => ({
    name: variable,
    text: message,
    link: `/configuration?q=${encodeURIComponent(variable)}`,
  }));
  const before = Date.now();
  const offset = (await readClock(db)) - (before + Date.now()) / 2000;
  if (Math.abs(offset) <= MAX_CLOCK_SECONDS) return settings;
  const text = `The clock of the database is ${Math.round(offset)} seconds away from that of this machine: let NTP set both.`;
  return [...settings, { name: 'clock', text, link: '/configuration' }];
}

/** Where each live figure leads. */
export const liveLinks = {
  requests_per_second: '/requests',
  p50_ms: '/requests?code=request_timeout',
  p99_ms: '/requests?code=request_timeout',
  in_flight: '/requests',
  hashes_queued: '/requests?code=service_unavailable',
  connections_waiting: '/requests?code=service_unavailable',
  mails_waiting: '/mail',
  texts_waiting: '/mail',
  mails_failed: '/mail',
} as const;
