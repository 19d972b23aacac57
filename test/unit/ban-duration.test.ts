import { readUuid } from '../../src/db/uuid.js';
import { readBanDuration } from '../../src/server/admin/ban-duration.js';
import { t } from '../support/tap.js';

t.test('ban_duration: the grammar', async (t) => {
  t.equal(readBanDuration(''), null);
  for (const none of ['none', '0', '+0', '-0', '0s', '0h0m']) t.same(readBanDuration(none), { seconds: null }, none);
  for (const [text, seconds] of [
    ['1h', 3600],
    ['1.5h', 5400],
    ['1h30m', 5400],
    ['30m1h', 5400],
    ['-1h', -3600],
    ['+90s', 90],
    ['.5s', 0.5],
    ['1.s', 1],
    ['2562047h', 9_223_369_200],
  ] as const) {
    t.same(readBanDuration(text), { seconds }, text);
  }
  for (const [text, per] of [
    ['250ms', 1e3],
    ['250us', 1e6],
    ['250µs', 1e6],
    ['250μs', 1e6],
    ['250ns', 1e9],
  ] as const) {
    const { seconds } = readBanDuration(text)!;
    t.ok(Math.abs(seconds! * per - 250) < 1e-6, text);
  }
  for (const [text, detail] of [
    ['abc', 'time: invalid duration "abc"'],
    ['24', 'time: missing unit in duration "24"'],
    ['1d', 'time: unknown unit "d" in duration "1d"'],
    ['1h2', 'time: missing unit in duration "1h2"'],
    ['1 h', 'time: unknown unit " h" in duration "1 h"'],
    ['-', 'time: invalid duration "-"'],
    ['.s', 'time: invalid duration ".s"'],
    ['--1h', 'time: invalid duration "--1h"'],
    ['2562048h', 'time: invalid duration "2562048h"'],
    ['1constructor', 'time: unknown unit "constructor" in duration "1constructor"'],
    ['NONE', 'time: invalid duration "NONE"'],
  ] as const) {
    t.throws(() => readBanDuration(text), { message: `invalid format for ban duration: ${detail}` }, text);
  }
  const long = '1'.repeat(1_000_000);
  t.throws(() => readBanDuration(long), { message: /^.{0,200}$/ }, 'a long one is not repeated in full');
});

t.test('ids in every spelling become the canonical one', async (t) => {
  const id = '0195c7a2-7b1e-4c3d-9e8f-0123456789ab';
  const hex = id.replaceAll('-', '');
  for (const text of [id, id.toUpperCase(), hex, `{${id}}`, `urn:uuid:${id}`, `URN:UUID:${id}`]) {
    t.equal(readUuid(text), id, text);
  }
  for (const text of ['', 'x', `${id}0`, `{${id}`, `${id}}`, `{${hex}}`, ` ${id}`, id.replace('-', ''), `${hex}\n`]) {
    t.equal(readUuid(text), null, JSON.stringify(text));
  }
});
