import bcrypt from 'bcryptjs';
import { adminToken } from '../support/admin.js';
import { startLeakService } from '../support/leaked-passwords.js';
import { openMailFlow } from '../support/mail-flows.js';
import { freshEmail } from '../support/server.js';
import { type Test, t } from '../support/tap.js';
import { until } from '../support/until.js';
import { startWebhookReceiver, webhookSettings } from '../support/webhook-receiver.js';

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:130.0) Gecko/20100101 Firefox/130.0';
const [LEAKED, OTHER, SAFE] = ['trustno1!', 'letmein99!', 'a safe one of 7 words'];

async function openLeakFlow(t: Test, settings: Record<string, string>) {
  const service = await startLeakService(t);
  service.leaked.add(LEAKED);
  service.leaked.add(OTHER);
  const flow = await openMailFlow(t, {
    PASSWORD_HIBP_ENABLED: 'true',
    PASSWORD_HIBP_API_URL: service.url,
    SECURITY_LOGIN_THROTTLE: 'false',
    ...settings,
  });
  return {
    ...flow,
    /** Administrators may set any password. */
    async createAccount(password: string) {
      const email = freshEmail();
      const body = { email, password, email_confirm: true };
      const created = await flow.call('POST', '/admin/users', { bearer: adminToken(), body });
      return { email, id: created.body.id as string };
    },
    signIn: (email: string, password: string) =>
      flow.call('POST', '/token?grant_type=password', {
        body: { email, password },
        headers: { 'user-agent': FIREFOX },
      }),
    copyPassword: (from: string, to: string) =>
      flow.database.admin.query(
        'update users set password_hash = (select s.password_hash from users s where s.id = $1) where id = $2',
        [from, to],
      ),
  };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 300));

t.test('PASSWORD_LEAKED_ACTION=notify: one notice for each leaked password', async (t) => {
  const flow = await openLeakFlow(t, { PASSWORD_LEAKED_ACTION: 'notify' });
  const { email, id } = await flow.createAccount(LEAKED);
  const safe = await flow.createAccount(SAFE);
  t.equal((await flow.signIn(email, 'wrong wrong wrong')).status, 400);
  t.equal((await flow.signIn(safe.email, SAFE)).status, 200);
  await settled();
  t.equal(await flow.mailsTo(email), 0, 'not at a failed sign-in');

  const answers = await Promise.all(Array.from({ length: 6 }, () => flow.signIn(email, LEAKED)));
  for (const { status, body } of answers) t.match({ status, body }, { status: 200, body: { weak_password: {} } });
  const notice = await flow.nextMail(email);
  t.equal(notice.subject, 'Your password is in a list of leaked passwords');
  t.match(notice.text, /with Firefox on Windows from the address 127\.0\.0\.1/);
  t.notOk(notice.text.includes(LEAKED));
  await flow.signIn(email, LEAKED);
  await settled();
  t.equal(await flow.mailsTo(email), 1, 'once');

  const other = await flow.createAccount(OTHER);
  await flow.copyPassword(other.id, id);
  t.equal((await flow.signIn(email, OTHER)).status, 200);
  await flow.nextMail(email);
  await flow.signIn(email, OTHER);
  await settled();
  t.equal(await flow.mailsTo(email), 2, 'another leaked password has its own');
  t.equal(await flow.mailsTo(safe.email), 0);
});

t.test('a sign-in that renews the hash of a password does not make it another one', async (t) => {
  const flow = await openLeakFlow(t, { PASSWORD_LEAKED_ACTION: 'notify' });
  for (const isNoted of [false, true]) {
    const { email, id } = await flow.createAccount(SAFE);
    const hash = bcrypt.hashSync(LEAKED, 4);
    await flow.database.admin.query('update users set password_hash = $1 where id = $2', [hash, id]);
    if (isNoted) {
      const note = 'insert into leak_notices (user_id, password_digest) values ($1, sha256($2::bytea))';
      await flow.database.admin.query(note, [id, Buffer.from(hash)]);
    }
    for (let i = 0; i < 2; i++) t.equal((await flow.signIn(email, LEAKED)).status, 200);
    await settled();
    t.equal(await flow.mailsTo(email), isNoted ? 0 : 1, `noted before: ${isNoted}`);
  }
});

t.test('the event password.leaked at each such sign-in, without a notice unless the setting says so', async (t) => {
  const receiver = await startWebhookReceiver(t);
  const flow = await openLeakFlow(t, {
    ...webhookSettings(receiver.url),
    WEBHOOKS_EVENTS: 'password.leaked',
    PASSWORD_LEAKED_ACTION: 'warn',
  });
  const { email, id } = await flow.createAccount(LEAKED);
  const safe = await flow.createAccount(SAFE);
  t.equal((await flow.signIn(safe.email, SAFE)).status, 200);
  t.equal((await flow.signIn(email, LEAKED)).status, 200);
  await until(() => receiver.received.length === 1);
  t.match(receiver.received[0], { type: 'password.leaked', data: { user_id: id, ip: '127.0.0.1' } });
  await settled();
  t.equal(receiver.received.length, 1, 'none for another password');
  t.equal(await flow.mailsTo(email), 0);
});
