import { pickForm } from '../support/long-form.js';
import { openMailFlow } from '../support/mail-flows.js';
import { openPhoneFlow } from '../support/phone-flows.js';
import { pickWhere } from '../support/rows.js';
import { freshEmail, freshPhone, password, type TestServer } from '../support/server.js';
import { mostlyWaits, type Test, t } from '../support/tap.js';
import { assertAlike } from '../support/timing-arms.js';

mostlyWaits('between requests; what runs beside it costs every kind of address alike');

const ROUNDS = pickForm({ short: 80, long: 400 });
const TIMEOUT_MS = pickForm({ short: 240_000, long: 1_200_000 });

type Request = [name: string, path: string, body: (address: string) => object, status: number];

/** The request to each endpoint, and the answer for every kind of address. */
const mailRequests: Request[] = [
  ['/signup', '/signup', (email) => ({ email, password }), 200],
  ['/otp', '/otp', (email) => ({ email }), 200],
  ['/magiclink', '/magiclink', (email) => ({ email }), 200],
  ['/recover', '/recover', (email) => ({ email }), 200],
  ['/resend', '/resend', (email) => ({ type: 'signup', email }), 200],
  ['/verify', '/verify', (email) => ({ type: 'recovery', email, token: '123456' }), 403],
];
const choose = (requests: readonly Request[], names: readonly string[]) =>
  requests.filter(([name]) => names.includes(name));
/**
 * `npm test` tries each way to an answer once: a sign-up, a code for an account, a mail for an account, a check of a code.
 * /magiclink is /otp under another name, and /resend repeats what the others send.
 */
const WITH_SERVER = pickWhere(mailRequests, ([name]) => ['/signup', '/otp', '/verify'].includes(name));
/** Mails leave through one outbox, whichever endpoint wrote them: the full form tries one for either kind of account. */
const WITHOUT_SERVER = pickForm({
  short: pickWhere(choose(mailRequests, ['/signup', '/recover']), ([name]) => name === '/recover'),
  long: mailRequests,
});
const textRequests: Request[] = [
  ['/signup', '/signup', (phone) => ({ phone, password }), 200],
  ['/otp', '/otp', (phone) => ({ phone }), 200],
  ['/resend sms', '/resend', (phone) => ({ type: 'sms', phone }), 200],
  ['/resend phone_change', '/resend', (phone) => ({ type: 'phone_change', phone }), 200],
  ['/verify', '/verify', (phone) => ({ type: 'sms', phone, token: '123456' }), 403],
];
/** A text, for an account, for a number that none has and for one that an account waits for. */
const TEXTS = pickWhere(textRequests, ([name]) => name === '/otp');

/** @param others kinds of address that are compared with the known one */
async function compareAll(
  t: Test,
  { call }: Pick<TestServer, 'call'>,
  requests: readonly Request[],
  known: string,
  others: Readonly<Record<string, () => string>>,
): Promise<void> {
  for (const [name, path, body, status] of requests) {
    const bodies = new Set<string>();
    const ask = async (address: string): Promise<void> => {
      const answer = await call('POST', path, { body: body(address) });
      if (answer.status !== status) t.fail(`${name}: ${answer.status} ${JSON.stringify(answer.body)}`);
      // Ids and times differ between answers.
      bodies.add(JSON.stringify(answer.body).replace(/"message_id":"[0-9a-f-]{36}"/, '"message_id":"…"'));
    };
    const arms = Object.fromEntries(Object.entries(others).map(([kind, address]) => [kind, () => ask(address())]));
    for (let warmUp = 0; warmUp < 10; warmUp++)
      await Promise.all([ask(known), ...Object.values(arms).map((arm) => arm())]);
    bodies.clear();
    await assertAlike(t, { name, rounds: ROUNDS, baseline: () => ask(known), others: arms });
    // A sign-up answers with the address itself.
    if (path !== '/signup') t.equal(bodies.size, 1, `${name}: the same bytes`);
  }
}

async function compareMails(
  t: Test,
  requests: readonly Request[],
  settings: Record<string, string> = {},
): Promise<void> {
  const flow = await openMailFlow(t, settings);
  const known = freshEmail();
  await flow.post('/signup', { email: known, password });
  await flow.database.admin.query('update users set email_confirmed_at = now() where email = $1', [known]);
  await compareAll(t, flow, requests, known, { unknown: freshEmail });
}

t.test(
  'SEC-48: known and unknown addresses get the same response in the same time',
  { timeout: TIMEOUT_MS },
  async (t) => compareMails(t, WITH_SERVER),
);

t.test('SEC-48: also while the mail server is down', { timeout: TIMEOUT_MS }, async (t) =>
  // No server listens on port 9 of the loopback.
  compareMails(t, WITHOUT_SERVER, { SMTP_PORT: '9' }),
);

t.test('SEC-48: and numbers, whatever time the gateway takes', { timeout: TIMEOUT_MS }, async (t) => {
  const flow = await openPhoneFlow(t, 'twilio', { MAILER_AUTOCONFIRM: 'false' });
  const [known, pending] = [freshPhone(), freshPhone()];
  for (const phone of [known, pending]) await flow.post('/signup', { phone, password });
  await flow.database.admin.query('update users set phone_confirmed_at = now() where phone = $1', [known]);
  await flow.database.admin.query('update users set new_phone = $1 where phone = $2', [freshPhone(), pending]);
  flow.gateways.delayMs = 20;
  await compareAll(t, flow, TEXTS, known, { unknown: freshPhone, pending: () => pending });
});
