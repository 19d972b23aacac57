import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { type MailFlow, openMailFlow } from '../support/mail-flows.js';
import { freshEmail } from '../support/server.js';
import { mannWhitneyP, median } from '../support/statistics.js';

const PAIRS = 150;
const MAX_MEDIAN_GAP_MS = 3;
const MIN_P = 0.001;
const password = 'correct horse battery';

/** What is asked of each endpoint, and what both kinds of address are answered. */
const requests: [name: string, path: string, body: (email: string) => object, status: number][] = [
  ['/signup', '/signup', (email) => ({ email, password }), 200],
  ['/otp', '/otp', (email) => ({ email }), 200],
  ['/magiclink', '/magiclink', (email) => ({ email }), 200],
  ['/recover', '/recover', (email) => ({ email }), 200],
  ['/resend', '/resend', (email) => ({ type: 'signup', email }), 200],
  ['/verify', '/verify', (email) => ({ type: 'recovery', email, token: '123456' }), 403],
];

async function compareAll(t: Test, flow: MailFlow): Promise<void> {
  const known = freshEmail();
  await flow.call('POST', '/signup', { body: { email: known, password } });
  await flow.database.admin.query('update users set email_confirmed_at = now() where email = $1', [known]);

  for (const [name, path, body, status] of requests) {
    const bodies = new Set<string>();
    const time = async (email: string, extraMs = 0): Promise<number> => {
      const startedMs = performance.now();
      const answer = await flow.call('POST', path, { body: body(email) });
      if (extraMs > 0) await pause(extraMs);
      const elapsedMs = performance.now() - startedMs;
      if (answer.status !== status) t.fail(`${name}: ${answer.status} ${JSON.stringify(answer.body)}`);
      // Ids and times differ from one answer to the next whoever asks.
      bodies.add(JSON.stringify(answer.body).replace(/"message_id":"[^"]+"/, '"message_id":"…"'));
      return elapsedMs;
    };
    for (let warmUp = 0; warmUp < 10; warmUp++) await Promise.all([time(known), time(freshEmail())]);
    bodies.clear();
    const samples = { known: [] as number[], unknown: [] as number[], control: [] as number[] };
    for (let pair = 0; pair < PAIRS; pair++) {
      samples.known.push(await time(known));
      samples.unknown.push(await time(freshEmail()));
      samples.control.push(await time(known, 5));
    }
    const compare = (other: number[]) => ({
      gapMs: median(other) - median(samples.known),
      p: mannWhitneyP(other, samples.known),
    });
    const isDistinguishable = ({ gapMs, p }: { gapMs: number; p: number }) =>
      Math.abs(gapMs) >= MAX_MEDIAN_GAP_MS && p <= MIN_P;
    const [control, unknown] = [compare(samples.control), compare(samples.unknown)];
    t.ok(isDistinguishable(control), `${name}: positive control, 5 ms more are seen (${control.gapMs.toFixed(2)} ms)`);
    t.notOk(isDistinguishable(unknown), `${name}: gap ${unknown.gapMs.toFixed(2)} ms, p ${unknown.p.toExponential(1)}`);
    // A sign-up answers with the address itself.
    if (path !== '/signup') t.equal(bodies.size, 1, `${name}: the same bytes`);
  }
}

t.test('SEC-48: known and unknown addresses are answered alike, in the same time', { timeout: 240_000 }, async (t) => {
  await compareAll(t, await openMailFlow(t));
});

t.test('SEC-48: also while the mail server is down', { timeout: 240_000 }, async (t) => {
  // Port 9 of the loopback: nobody listens there.
  await compareAll(t, await openMailFlow(t, { SMTP_PORT: '9' }));
});
