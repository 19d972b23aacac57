import { openPhoneFlow, type PhoneFlow } from '../support/phone-flows.js';
import { type Answer, freshEmail, freshPhone, password } from '../support/server.js';
import { type Test, t } from '../support/tap.js';
import { until } from '../support/until.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

type Standing = 'unknown' | 'pending' | 'confirmed';

/** One number of each state, with no limit in effect. */
async function arrange(flow: PhoneFlow): Promise<Record<Standing, string>> {
  const numbers = { unknown: freshPhone(), pending: freshPhone(), confirmed: freshPhone() };
  const { mode } = flow.gateways;
  flow.gateways.mode = 'good';
  for (const phone of [numbers.pending, numbers.confirmed]) {
    await flow.post('/signup', { phone, password });
    await flow.nextCode(phone);
  }
  await flow.database.admin.query('update users set phone_confirmed_at = now() where phone = $1', [numbers.confirmed]);
  await flow.forgetLimits();
  flow.gateways.mode = mode;
  return numbers;
}

/** An answer without number, ids and times, which always differ. */
function shapeOf({ status, headers, body }: Answer): object {
  const text = JSON.stringify(body)
    .replace(/"message_id":"[^"]*"/, (member) => (UUID.test(member.slice(14, -1)) ? '"message_id":"uuid"' : member))
    .replaceAll(/[0-9a-f-]{36}/g, 'id')
    .replaceAll(/1555\d{9}/g, 'phone')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')
    .replace(/after \d+ seconds/, 'after n seconds');
  return { status, text, retries: headers.has('retry-after') };
}

/** Requests a code for every number, twice; every state must get the same answer. */
async function assertAllAlike(
  t: Test,
  numbers: Record<Standing, string>,
  ask: (phone: string) => Promise<Answer>,
  expected: readonly [first: number, second: number],
): Promise<void> {
  for (const status of expected) {
    const shapes = await Promise.all(Object.values(numbers).map(async (phone) => shapeOf(await ask(phone))));
    t.match(shapes[0], { status });
    t.same(shapes[1], shapes[0], 'pending as unknown');
    t.same(shapes[2], shapes[0], 'confirmed as unknown');
  }
}

const resendTo =
  ({ post }: PhoneFlow, type: string) =>
  (phone: string) =>
    post('/resend', { type, phone });
const signUpTo =
  ({ post }: PhoneFlow) =>
  (phone: string) =>
    post('/signup', { phone, password });

for (const type of ['sms', 'phone_change']) {
  t.test(`SEC-92: /resend of type ${type} responds to every number alike, and limits it alike`, async (t) => {
    const flow = await openPhoneFlow(t, 'twilio', { SMS_MAX_FREQUENCY: '60' });
    await assertAllAlike(t, await arrange(flow), resendTo(flow, type), [200, 429]);
  });
}

t.test('SEC-92: the id that /resend returns is ours, whether a text is sent or not', async (t) => {
  const flow = await openPhoneFlow(t, 'twilio');
  for (const [standing, phone] of Object.entries(await arrange(flow))) {
    const { body } = await resendTo(flow, 'sms')(phone);
    t.match(body.message_id, UUID, standing);
  }
});

// A silent gateway times out after 6 s, and the answer would be an error.
t.test('SEC-92: neither the time nor the words of the gateway are in the answer', async (t) => {
  for (const mode of ['silent', 'refuseNumber', 'unavailable'] as const) {
    const flow = await openPhoneFlow(t, 'twilio', { MAILER_AUTOCONFIRM: 'false' });
    const numbers = await arrange(flow);
    flow.gateways.mode = mode;
    for (const [standing, phone] of Object.entries(numbers)) {
      t.equal((await signUpTo(flow)(phone)).status, 200, `${mode}: /signup, ${standing}`);
      t.match(shapeOf(await resendTo(flow, 'sms')(phone)), { status: 200, text: '{"message_id":"uuid"}' }, standing);
    }
    await flow.untilTexts(3);
  }
});

t.test('SEC-92: while the circuit breaker of the gateway is open, every number gets the same error', async (t) => {
  const flow = await openPhoneFlow(t, 'twilio');
  const numbers = await arrange(flow);
  flow.gateways.mode = 'unavailable';
  for (let failures = 0; failures < 5; failures++) {
    t.equal((await flow.post('/otp', { phone: freshPhone() })).status, 422);
  }
  await assertAllAlike(t, numbers, resendTo(flow, 'sms'), [422, 422]);
  await assertAllAlike(t, numbers, signUpTo(flow), [422, 422]);
});

t.test('SEC-92: without a gateway every number gets the same error', async (t) => {
  const flow = await openPhoneFlow(t, 'twilio', { SMS_TWILIO_AUTH_TOKEN: '' });
  const numbers = { unknown: freshPhone(), pending: freshPhone(), confirmed: freshPhone() };
  for (const [standing, phone] of Object.entries(numbers)) {
    if (standing === 'unknown') continue;
    await flow.database.admin.query(
      `insert into users (id, aud, role, phone, phone_confirmed_at, app_metadata, user_metadata)
       values (gen_random_uuid(), 'authenticated', 'authenticated', $1, case when $2 then now() end, '{}', '{}')`,
      [phone, standing === 'confirmed'],
    );
  }
  await assertAllAlike(t, numbers, resendTo(flow, 'sms'), [500, 500]);
  await assertAllAlike(t, numbers, signUpTo(flow), [500, 500]);
});

t.test('SEC-92: /resend reveals nothing about a pending phone change', async (t) => {
  const flow = await openPhoneFlow(t, 'twilio', { SMS_MAX_FREQUENCY: '60' });
  const { call, post } = flow;
  const ask = (email: string) => post('/resend', { type: 'phone_change', email });
  async function beginChange(): Promise<{ email: string; next: string }> {
    const [email, next] = [freshEmail(), freshPhone()];
    const { body } = await post('/signup', { email, password });
    await call('PUT', '/user', { bearer: body.access_token, body: { phone: next } });
    await flow.nextCode(next);
    return { email, next };
  }

  const later = await beginChange();
  await flow.forgetLimits();
  t.match(await ask(later.email), { status: 200, body: { message_id: UUID } });
  t.match(await flow.nextCode(later.next), /^\d{6}$/, 'a text to the number that is to be confirmed');

  const soon = await beginChange();
  const sent = flow.gateways.requests.length;
  const [known, unknown] = [await ask(soon.email), await ask(freshEmail())];
  t.match(known, { status: 200 });
  t.same(shapeOf(known), shapeOf(unknown));
  await post('/otp', { phone: freshPhone() });
  t.equal(flow.gateways.requests.length, sent + 1, 'and the interval of that number holds');
});

t.test('SEC-92: while the gateway fails, no number burns its interval', async (t) => {
  const flow = await openPhoneFlow(t, 'twilio', { MAILER_AUTOCONFIRM: 'false', SMS_MAX_FREQUENCY: '60' });
  const numbers = await arrange(flow);
  const isForgotten = async () =>
    (await flow.database.admin.query("select from rate_counters where name = 'recipient.sms'")).rowCount === 0;
  flow.gateways.mode = 'unavailable';
  for (const ask of [signUpTo(flow), resendTo(flow, 'sms')]) {
    // The confirmed number comes first: what becomes of its interval is known with the text to another one.
    for (const phone of [numbers.confirmed, numbers.unknown]) t.equal((await ask(phone)).status, 200);
    await until(isForgotten);
  }
  flow.gateways.mode = 'good';
  for (const phone of [numbers.unknown, numbers.pending]) await resendTo(flow, 'sms')(phone);
  await flow.nextCode(numbers.pending);
  await flow.forgetLimits();
  await assertAllAlike(t, numbers, resendTo(flow, 'sms'), [200, 429]);
});
