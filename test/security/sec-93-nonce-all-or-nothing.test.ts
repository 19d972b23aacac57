import { openMailFlow } from '../support/mail-flows.js';
import { freshEmail, password } from '../support/server.js';
import { t } from '../support/tap.js';

t.test('SEC-93: a rejected change does not use its nonce up', async (t) => {
  const flow = await openMailFlow(t, {
    SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION: 'true',
    MAILER_SECURE_EMAIL_CHANGE_ENABLED: 'false',
    SMTP_MAX_FREQUENCY: '60',
  });
  const { call, post, database } = flow;
  const email = freshEmail();
  await post('/signup', { email, password });
  const bearer = (await flow.follow((await flow.nextMail(email)).link!)).fragment.get('access_token')!;
  t.equal((await call('PUT', '/user', { bearer, body: { email: freshEmail() } })).status, 200, 'takes the interval');
  await call('GET', '/reauthenticate', { bearer });
  const { code: nonce } = await flow.nextMail(email);
  const put = (body: object) => call('PUT', '/user', { bearer, body: { nonce, ...body } });

  const refused: [string, object, number, string][] = [
    ['the same password', { password }, 422, 'same_password'],
    ['a weak one', { password: 'abc' }, 422, 'weak_password'],
    ['a mail too soon', { password: 'another passphrase', email: freshEmail() }, 429, 'over_email_send_rate_limit'],
    ['a number that is none', { password: 'another passphrase', phone: '12' }, 400, 'validation_failed'],
  ];
  for (const [name, body, status, error_code] of refused) {
    t.match(await put(body), { status, body: { error_code } }, name);
  }
  await database.admin.query(`create function refuse_update() returns trigger language plpgsql as
    $$ begin raise exception 'no'; end $$`);
  await database.admin.query(
    'create trigger refuse_update before update of password_hash on users for each row execute function refuse_update()',
  );
  t.equal((await put({ password: 'another passphrase' })).status, 500, 'a fault of the database');
  await database.admin.query('drop trigger refuse_update on users');

  t.equal((await put({ password: 'another passphrase' })).status, 200, 'and then it is good');
  t.match(await put({ password: 'a third passphrase' }), {
    status: 422,
    body: { error_code: 'reauthentication_not_valid' },
  });
});
