/** The journal of refusals: batches, limits against floods, a database that is away. */
import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseUnavailableError } from '../../src/db/errors.js';
import type { RefusalInput } from '../../src/db/refusals.js';
import type { Database } from '../../src/db/types.js';
import { apiError, type ErrorName } from '../../src/server/errors.js';
import type { RequestRefusal } from '../../src/server/http/options.js';
import type { Route } from '../../src/server/http/types.js';
import { openRefusalJournal } from '../../src/server/records/refusal-journal.js';
import { openRefusalRate } from '../../src/server/records/refusal-rate.js';
import { describeSteps } from '../../src/server/records/request-steps.js';
import { keepLog } from '../support/quiet-log.js';
import { t } from '../support/tap.js';

const refusal = (name: ErrorName, more: Partial<RequestRefusal> = {}): RequestRefusal => ({
  requestId: 'r1',
  method: 'POST',
  route: '/token',
  grantType: 'password',
  remoteAddress: '192.0.2.1',
  status: 400,
  error: apiError(name),
  step: 'rules',
  caller: undefined,
  ...more,
});

function openJournal(perSecond = 100, burst = 1000) {
  const batches: RefusalInput[][] = [];
  let failure: Error | null = null;
  const log = keepLog();
  const run = async (_name: string, [batch]: readonly unknown[]) => {
    if (failure !== null) throw failure;
    batches.push(JSON.parse(batch as string));
    return [];
  };
  const journal = openRefusalJournal({
    db: { run } as unknown as Database,
    log,
    routes: [],
    perSecond,
    burst,
    flushMs: 5,
  });
  const fail = (error: Error | null) => {
    failure = error;
  };
  return { journal, batches, fail, log };
}

t.test('refusals are written together, and the rest at the end', async (t) => {
  const { journal, batches } = openJournal();
  for (let n = 0; n < 300; n++) journal.record(refusal('invalidLogin'));
  t.same(batches, [], 'not while the request is served');
  await pause(60);
  t.same(
    batches.map(({ length }) => length),
    [250, 50],
  );
  const times = batches.flat().map(({ created_at }) => created_at);
  t.match(times[0], /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  t.same(times, [...new Set(times)].sort(), 'each later than the one before, also within a millisecond');
  journal.record(refusal('invalidLogin', { caller: { user: { id: 'not a uuid' } } }));
  journal.record(refusal('badJwt', { caller: { role: 'x', subject: '10000000-0000-4000-8000-000000000001' } }));
  await journal.close();
  t.match(batches[2], [{ user_id: null, ip: '192.0.2.1' }, { user_id: '10000000-0000-4000-8000-000000000001' }]);
});

t.test('a flood is cut off, counted, and hides no other error', async (t) => {
  let now = 0;
  const rate = openRefusalRate(10, 100, () => now);
  const taken = Array.from({ length: 5000 }, () => rate.take('notFound')).filter((one) => one !== null);
  t.equal(taken.length, 50, 'half of what is allowed at once');
  t.equal(rate.take('invalidLogin'), 0);
  now += 1000;
  t.equal(rate.take('notFound'), 4950, 'the next one tells how many were left out');
  now += 3_600_000;
  for (const name of ['a', 'b', 'c', 'd']) for (let n = 0; n < 100; n++) rate.take(name);
  t.equal(rate.take('e'), null, 'all together have a limit');
});

t.test('while the database is away refusals wait, at most so many; a fault loses them with a word', async (t) => {
  const { journal, batches, fail, log } = openJournal(1_000_000, 10_000);
  fail(new DatabaseUnavailableError(undefined));
  for (let n = 0; n < 1200; n++) journal.record(refusal('invalidLogin'));
  await pause(50);
  fail(null);
  await journal.close();
  t.equal(batches.flat().length, 1000);
  t.same(log.lines, []);

  const other = openJournal();
  other.fail(new Error('no such table'));
  other.journal.record(refusal('invalidLogin'));
  await pause(50);
  t.match(other.log.lines.join(), /could not be recorded/);
  other.fail(null);
  other.journal.record(refusal('invalidLogin'));
  await other.journal.close();
  t.match(other.batches, [[{ left_out: 1 }]]);
});

t.test('the steps of a request, as its route and the settings say', async (t) => {
  const on = { rateLimitHeader: 'x', securityCaptchaEnabled: true };
  const off = { rateLimitHeader: '', securityCaptchaEnabled: false };
  const full = { caller: 'user', limit: 'user', body: {}, captcha: true, assertOn: () => undefined };
  const route = full as unknown as Route<never>;
  t.equal(describeSteps(route, 'body', on), '+message +endpoint +switch +caller +limit !body .captcha .rules');
  t.equal(describeSteps(route, 'rules', off), '+message +endpoint +switch +caller -limit +body -captcha !rules');
  const late = { ...route, caller: 'none', limit: () => 'otp', captcha: () => true, assertOn: undefined } as never;
  t.equal(describeSteps(late, 'rules', on), '+message +endpoint -switch -caller +body +limit ~captcha !rules');
  t.equal(describeSteps(undefined, 'endpoint', on), '+message !endpoint');
  t.equal(describeSteps(undefined, 'message', on), '!message .endpoint');
});
