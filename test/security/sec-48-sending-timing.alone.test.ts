import t, { type Test } from 'tap';
import { pickForm } from '../support/long-form.js';
import { type MailFlow, openMailFlow } from '../support/mail-flows.js';
import { freshEmail } from '../support/server.js';
import { assertAlike } from '../support/timing-arms.js';

const ROUNDS = pickForm({ short: 80, long: 400 });
const TIMEOUT_MS = pickForm({ short: 240_000, long: 1_200_000 });
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
    const ask = async (email: string): Promise<void> => {
      const answer = await flow.call('POST', path, { body: body(email) });
      if (answer.status !== status) t.fail(`${name}: ${answer.status} ${JSON.stringify(answer.body)}`);
      // Ids and times differ from one answer to the next whoever asks.
      bodies.add(JSON.stringify(answer.body).replace(/"message_id":"[^"]+"/, '"message_id":"…"'));
    };
    for (let warmUp = 0; warmUp < 10; warmUp++) await Promise.all([ask(known), ask(freshEmail())]);
    bodies.clear();
    await assertAlike(t, {
      name,
      rounds: ROUNDS,
      baseline: () => ask(known),
      others: { unknown: () => ask(freshEmail()) },
    });
    // A sign-up answers with the address itself.
    if (path !== '/signup') t.equal(bodies.size, 1, `${name}: the same bytes`);
  }
}

t.test('SEC-48: known and unknown addresses are answered alike, in the same time', { timeout: TIMEOUT_MS }, async (t) =>
  compareAll(t, await openMailFlow(t)),
);

t.test('SEC-48: also while the mail server is down', { timeout: TIMEOUT_MS }, async (t) =>
  // Port 9 of the loopback: nobody listens there.
  compareAll(t, await openMailFlow(t, { SMTP_PORT: '9' })),
);
