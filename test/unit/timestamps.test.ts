import { isTimestamp } from '../../src/db/timestamps.js';
import { t } from '../support/tap.js';

t.test('a moment with a zone that the calendar and Postgres have', async (t) => {
  for (const text of [
    '2026-11-28T21:22:33.922598+00:00',
    '2026-11-28T21:22:33.9Z',
    '2026-11-28T21:22Z',
    '2024-02-29T00:00:00z',
    '2000-02-29T23:59:59-12:00',
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59Z',
  ]) {
    t.ok(isTimestamp(text), text);
  }
});

t.test('no other', async (t) => {
  for (const text of [
    '',
    '2026-11-28',
    '2026-11-28T21:22:33',
    '2026-11-28 21:22:33Z',
    '2026-02-30T00:00:00Z',
    '2026-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-10T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T24:61Z',
    '2026-01-01T00:00:60Z',
    '2026-01-01T00:00:00+16:00',
    '0000-01-01T00:00:00Z',
    '+275760-09-13T00:00:00Z',
    '2026-01-01T00:00:00Z\n',
    'infinity',
  ]) {
    t.notOk(isTimestamp(text), text);
  }
});
