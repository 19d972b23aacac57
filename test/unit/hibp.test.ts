import { createHash } from 'node:crypto';
import { openHibp, RANGE_SECONDS } from '../../src/server/passwords/hibp.js';
import { type LeakFault, sha1, startLeakService } from '../support/leaked-passwords.js';
import { findQuickest } from '../support/quickest.js';
import { t } from '../support/tap.js';

const quiet = { warn: () => undefined, info: () => undefined };
const digest = (password: string): Buffer => createHash('sha1').update(password).digest();
const HOUR_MS = 3_600_000;

t.test('a call by prefix with padding, kept for a day', async (t) => {
  const service = await startLeakService(t);
  service.leaked.add('hunter2');
  service.padded.add('only padding');
  let nowMs = 0;
  const config = { hibpApiUrl: service.url, hibpUserAgent: 'test agent' };
  const list = openHibp({ config, log: quiet, now: () => nowMs });

  t.equal(await list.has(digest('hunter2')), true);
  t.equal(await list.has(digest('only padding')), false, 'a count of 0 is padding');
  t.equal(await list.has(digest('quite another one')), false);
  t.equal(service.calls.length, 3);
  t.match(service.calls[0], {
    prefix: sha1('hunter2').slice(0, 5),
    headers: { 'add-padding': 'true', 'user-agent': 'test agent' },
  });

  nowMs = 24 * HOUR_MS - 1;
  t.equal(await list.has(digest('hunter2')), true);
  t.equal(service.calls.length, 3, 'from the cache');
  nowMs = 24 * HOUR_MS;
  t.equal(await list.has(digest('hunter2')), true);
  t.equal(service.calls.length, 4, 'asked again');
});

t.test('requests for one prefix share a call', async (t) => {
  const service = await startLeakService(t);
  service.leaked.add('hunter2');
  service.delayMs = 50;
  const list = openHibp({ config: { hibpApiUrl: service.url, hibpUserAgent: 'x' }, log: quiet });
  const answers = await Promise.all(Array.from({ length: 50 }, () => list.has(digest('hunter2'))));
  t.ok(answers.every((isLeaked) => isLeaked));
  t.equal(service.calls.length, 1);
});

t.test('every fault is an error, within the time limit, and none is cached', async (t) => {
  const service = await startLeakService(t);
  service.leaked.add('hunter2');
  for (const fault of ['cut', 'html', 'status', 'huge', 'silent'] as LeakFault[]) {
    const open = () => openHibp({ config: { hibpApiUrl: service.url, hibpUserAgent: 'x' }, log: quiet });
    let list = open();
    service.fault = fault;
    const mostMs = RANGE_SECONDS * 1000 + 1000;
    const { ms } = await findQuickest(mostMs, () => {
      list = open();
      return t.rejects(list.has(digest('hunter2')), fault);
    });
    t.ok(ms < mostMs, fault);
    service.fault = 'none';
    t.equal(await list.has(digest('hunter2')), true, `${fault}, then an answer`);
  }
});

t.test('after five failures calls pause for half a minute, with one line in the log', async (t) => {
  const service = await startLeakService(t);
  const warnings: string[] = [];
  let nowMs = 0;
  const list = openHibp({
    config: { hibpApiUrl: service.url, hibpUserAgent: 'x' },
    log: { warn: (_context: object, text?: string) => void warnings.push(text!), info: () => undefined } as never,
    now: () => nowMs,
  });
  service.fault = 'status';
  for (let i = 0; i < 8; i++) await t.rejects(list.has(digest(`try ${i}`)));
  t.equal(service.calls.length, 5);
  t.match(warnings, [/AUTH_PASSWORD_HIBP_API_URL/]);
  t.equal(warnings.length, 1);
  service.fault = 'none';
  nowMs = 30_000;
  t.equal(await list.has(digest('try 9')), false);
});
