import { openMailFlow } from '../support/mail-flows.js';
import { freshEmail, freshPhone, openTestServer } from '../support/server.js';
import { startFakeGateways } from '../support/sms-gateways.js';
import { t } from '../support/tap.js';

const PARALLEL = 50;

t.test('SEC-39: fifty concurrent redemptions of one link, code and OTP have one success', async (t) => {
  const flow = await openMailFlow(t);
  const { post } = flow;
  const fifty = <Result>(act: () => Promise<Result>) => Promise.all(Array.from({ length: PARALLEL }, act));
  const assertOne = (name: string, outcomes: boolean[]) => t.equal(outcomes.filter(Boolean).length, 1, name);

  for (const kind of ['pending sign-up', 'known account'] as const) {
    const email = freshEmail();
    if (kind === 'known account') {
      await post('/otp', { email });
      await flow.follow((await flow.nextMail(email)).link!);
    }
    await post('/otp', { email });
    const { link } = await flow.nextMail(email);
    const followed = await fifty(() => flow.follow(link!));
    assertOne(
      `${kind}: one link`,
      followed.map(({ fragment }) => fragment.has('access_token')),
    );
    t.same([...new Set(followed.map(({ status }) => status))], [303]);

    await post('/otp', { email });
    const { code } = await flow.nextMail(email);
    const verified = await fifty(() => post('/verify', { type: 'email', email, token: code }));
    assertOne(
      `${kind}: one code`,
      verified.map(({ status }) => status === 200),
    );
    t.same([...new Set(verified.map(({ status }) => status))].sort(), [200, 403]);
  }
});

t.test('SEC-39: and of one code sent by text', async (t) => {
  const gateways = await startFakeGateways(t);
  const { post } = await openTestServer(t, { EXTERNAL_PHONE_ENABLED: 'true', ...gateways.settings('twilio') });
  const phone = freshPhone();
  await post('/otp', { phone });
  const token = /\d{6}/.exec(gateways.requests[0]!.fields['Body']!)![0];
  const verified = await Promise.all(
    Array.from({ length: PARALLEL }, () => post('/verify', { type: 'sms', phone, token })),
  );
  t.equal(verified.filter(({ status }) => status === 200).length, 1);
  t.same([...new Set(verified.map(({ status }) => status))].sort(), [200, 403]);
});

t.test('SEC-49: a hundred wrong codes at once: ten are compared, then even the right one is rejected', async (t) => {
  const flow = await openMailFlow(t);
  const { post, database } = flow;
  const email = freshEmail();
  await post('/otp', { email });
  const { code } = await flow.nextMail(email);
  const wrong = (index: number) => String((Number(code) + 1 + index) % 1_000_000).padStart(6, '0');
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, index) => post('/verify', { type: 'email', email, token: wrong(index) })),
  );
  t.same([...new Set(answers.map(({ status }) => status))], [403]);
  const { rows } = await database.admin.query('select wrong_tries from one_time_tokens where recipient = $1', [email]);
  t.same(rows, [{ wrong_tries: 10 }], 'counted, although every request failed');
  t.equal((await post('/verify', { type: 'email', email, token: code })).status, 403, 'the code is used up');
  await post('/otp', { email });
  const next = await flow.nextMail(email);
  t.equal((await post('/verify', { type: 'email', email, token: next.code })).status, 200, 'a new one works');
});
