import { openMailFlow } from '../support/mail-flows.js';
import { password } from '../support/server.js';
import { t } from '../support/tap.js';

t.test('a refused address is a 400 before anything is written', async (t) => {
  const flow = await openMailFlow(t, { MAILER_EMAIL_VALIDATION_EXTENDED: 'true' });
  for (const path of ['/signup', '/otp', '/recover', '/magiclink', '/resend']) {
    const body = {
      email: 'test@gmail.com',
      ...(path === '/signup' && { password }),
      ...(path === '/resend' && { type: 'signup' }),
    };
    const answer = await flow.post(path, body);
    t.match(
      answer,
      { status: 400, body: { error_code: 'email_address_invalid', msg: 'Email address "test@gmail.com" is invalid' } },
      path,
    );
  }
  const tables =
    'select (select count(*) from users) + (select count(*) from one_time_tokens) + (select count(*) from outbox) as rows';
  t.equal(Number((await flow.database.admin.query(tables)).rows[0].rows), 0);
});
