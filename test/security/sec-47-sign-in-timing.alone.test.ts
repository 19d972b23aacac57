import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { freshEmail, openTestServer } from '../support/server.js';
import { mannWhitneyP, median } from '../support/statistics.js';

const PAIRS = 400;
const MAX_MEDIAN_GAP_MS = 3;
const MIN_P = 0.001;
const password = 'correct horse battery';

t.test(
  'SEC-47: unknown, passwordless, banned and unconfirmed addresses cost the time of a known one',
  { timeout: 240_000 },
  async (t) => {
    // The real cost of a hash: a cheap one would hide a missing one.
    const { call, database } = await openTestServer(t, {
      PASSWORD_ARGON2_MEMORY_KIB: '19456',
      PASSWORD_ARGON2_ITERATIONS: '2',
    });

    const known = freshEmail();
    await call('POST', '/signup', { body: { email: known, password } });
    const changes: Record<string, string> = {
      passwordless: 'password_hash = null',
      banned: `banned_until = now() + interval '1 day'`,
      unconfirmed: 'email_confirmed_at = null',
    };
    const addresses: Record<string, string> = { unknown: freshEmail() };
    for (const [name, change] of Object.entries(changes)) {
      addresses[name] = freshEmail();
      await call('POST', '/signup', { body: { email: addresses[name], password } });
      await database.admin.query(`update users set ${change} where email = $1`, [addresses[name]]);
    }

    async function timeSignIn(email: string, extraMs = 0): Promise<number> {
      // Each try is the first wrong one of its address: later ones would be answered 429.
      await database.admin.query('delete from rate_counters');
      const startedMs = performance.now();
      const answer = await call('POST', '/token?grant_type=password', {
        body: { email, password: 'a wrong password' },
      });
      if (extraMs > 0) await pause(extraMs);
      const elapsedMs = performance.now() - startedMs;
      if (answer.status !== 400 || answer.body.error_code !== 'invalid_credentials')
        t.fail(JSON.stringify(answer.body));
      return elapsedMs;
    }
    for (let warmUp = 0; warmUp < 30; warmUp++) await timeSignIn(known);

    const arms = Object.keys(addresses);
    const samples: Record<string, number[]> = Object.fromEntries(
      ['known', 'control', ...arms].map((name) => [name, []]),
    );
    for (let pair = 0; pair < PAIRS; pair++) {
      samples['known']!.push(await timeSignIn(known));
      // Each arm in turn stands beside the known address, so that slow moments of the machine hit all alike.
      for (const name of arms) samples[name]!.push(await timeSignIn(addresses[name]!));
      samples['control']!.push(await timeSignIn(known, 5));
    }

    const compare = (name: string) => ({
      gapMs: median(samples[name]!) - median(samples['known']!),
      p: mannWhitneyP(samples[name]!, samples['known']!),
    });
    const isDistinguishable = ({ gapMs, p }: { gapMs: number; p: number }) =>
      Math.abs(gapMs) >= MAX_MEDIAN_GAP_MS && p <= MIN_P;

    const control = compare('control');
    t.ok(
      isDistinguishable(control),
      `positive control: 5 ms more are seen (${control.gapMs.toFixed(2)} ms, p ${control.p.toExponential(1)})`,
    );
    for (const name of arms) {
      const result = compare(name);
      t.notOk(isDistinguishable(result), `${name}: gap ${result.gapMs.toFixed(2)} ms, p ${result.p.toExponential(1)}`);
    }
  },
);
