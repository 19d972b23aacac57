import { apiError } from '../../errors.js';
import { isRecording } from '../../records/is-recording.js';
import { defineConsole, listOf, objectOf } from '../define-console.js';
import { findCheckFaults, liveLinks, readLive, readSeries } from '../overview-figures.js';

const DEFAULT_DAYS = 30;
const MAX_DAYS = 366;
const text = { type: 'string' } as const;
const count = { type: 'number' } as const;
const milliseconds = { type: ['number', 'null'], description: 'Of the last minute; null: no requests.' };

export const getOverview = defineConsole({
  method: 'GET',
  path: '/api/overview',
  role: 'viewer',
  query: {
    days: {
      type: 'integer',
      minimum: 1,
      maximum: MAX_DAYS,
      description: 'The last of them is today (UTC). Default 30.',
    },
  },
  id: 'readOverview',
  tag: 'Overview',
  summary: 'Returns how much happened by day, what the servers do at present, and what checks find.',
  answer: {
    description:
      'Counts of sign-ins by method and result, sign-ups, refreshes (all by result), and of active users, which are counted now, or once an hour where there are very many sessions. Each names the page that lists what is behind it.',
    body: objectOf({
      is_recording: { type: 'boolean', description: 'This server records figures (AUTH_CONSOLE_RECORDS_ENABLED).' },
      days: { ...listOf(text), description: 'As 2026-01-31.' },
      series: listOf(
        objectOf({
          name: { enum: ['sign_in', 'sign_up', 'refresh', 'active'] },
          method: { type: 'string', description: 'Of a sign-in, as in amr; of `active` day, week or month.' },
          result: { type: 'string', description: 'ok, or an error_code.' },
          counts: listOf(count),
          link: text,
        }),
      ),
      active_until: {
        type: ['string', 'null'],
        description: 'Until when active users are counted (RFC 3339); null: not yet.',
      },
      live: {
        type: ['object', 'null'],
        description: 'Of all threads of all processes; null: none has reported within 30 seconds.',
        properties: {
          processes: count,
          threads: count,
          versions: listOf(text),
          requests_per_second: count,
          p50_ms: milliseconds,
          p99_ms: milliseconds,
          in_flight: count,
          hashes_running: count,
          hashes_queued: count,
          hashes_rejected: count,
          connections_open: count,
          connections_limit: count,
          connections_waiting: count,
          mails_waiting: count,
          texts_waiting: count,
          mails_failed: count,
        },
      },
      links: { type: 'object', description: 'Live figure → page.', additionalProperties: text },
      faults: listOf(objectOf({ name: text, text, link: text })),
    }),
  },
  errors: ['badFilter'],
  async handler(app, { query }) {
    const days = readDays(query.get('days'));
    const [series, live, faults] = await Promise.all([
      readSeries(app.db, days),
      readLive(app.db),
      findCheckFaults(app),
    ]);
    return { status: 200, body: { is_recording: isRecording(app.config), ...series, live, links: liveLinks, faults } };
  },
});

/** @throws ApiError badFilter */
function readDays(given: string | undefined): number {
  if (!given) return DEFAULT_DAYS;
  if (/^[1-9][0-9]{0,2}$/.test(given) && Number(given) <= MAX_DAYS) return Number(given);
  throw apiError('badFilter', { reason: `days must be a number from 1 to ${MAX_DAYS}` });
}
