/** The figures of the overview, each with the list behind it. */
import { type DayCount, readDayCounts, readFigures } from '../../db/figures.js';
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

interface CountedSeries {
  readonly name: string;
  readonly method: string;
  readonly result: string;
  /** One for each day. */
  readonly counts: readonly number[];
  /** The page of the console that lists what was counted. */
  readonly link: string;
}

/** @param now milliseconds since the epoch. @returns the last of so many days is today (UTC) */
export async function readSeries(
  db: Database,
  days: number,
  now: number = Date.now(),
): Promise<{ readonly days: readonly string[]; readonly series: readonly CountedSeries[] }> {
  const list = Array.from({ length: days }, (_, back) =>
    new Date(now - (days - 1 - back) * DAY_MS).toISOString().slice(0, 10),
  );
  const series = new Map<
    string,
    { -readonly [Key in keyof CountedSeries]: CountedSeries[Key] } & { counts: number[] }
  >();
  for (const { day, name, method, result, count } of await readDayCounts(db, days)) {
    const at = list.indexOf(day);
    if (at === -1) continue;
    const key = `${name} ${method} ${result}`;
    const known = series.get(key);
    const one = known ?? { name, method, result, counts: list.map(() => 0), link: linkOf({ name, result }, list[0]!) };
    one.counts[at] = count;
    series.set(key, one);
  }
  return { days: list, series: [...series.values()] };
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
