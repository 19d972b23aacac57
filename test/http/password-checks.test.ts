import { openAdminServer } from '../support/admin.js';
import { sha1, startLeakService } from '../support/leaked-passwords.js';
import { runCommand } from '../support/run-command.js';
import { freshEmail, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';

const grant = '/token?grant_type=password';
const LEAKED = 'Password is known to be weak and easy to guess, please choose a different one.';

t.test('leaked passwords are rejected wherever one is set', async (t) => {
  const service = await startLeakService(t);
  service.leaked.add('trustno1!').add('short');
  const settings = { PASSWORD_HIBP_ENABLED: 'true', PASSWORD_HIBP_API_URL: `${service.url}/` };
  const { admin, call, post } = await openAdminServer(t, { ...settings, PASSWORD_REQUIRED_CHARACTERS: '0123456789' });
  const good = 'a good one 7';

  await t.test('all reasons in one answer, in both formats', async (t) => {
    const answer = await post('/signup', { email: freshEmail(), password: 'short' });
    const message = `Password should be at least 6 characters. Password should contain at least one character of each: 0123456789. ${LEAKED}`;
    const weak_password = { reasons: ['length', 'characters', 'pwned'] };
    t.equal(answer.status, 422);
    t.same(answer.body, { code: 422, error_code: 'weak_password', msg: message, weak_password });
    const headers = { 'x-supabase-api-version': '2024-01-01' };
    const dated = await call('POST', '/signup', { body: { email: freshEmail(), password: 'short' }, headers });
    t.same(dated.body, { code: 'weak_password', message, weak_password });
  });

  await t.test('sign-up, PUT /user, PUT /admin/users and links, but not POST /admin/users', async (t) => {
    const leaked = { status: 422, body: { msg: LEAKED, weak_password: { reasons: ['pwned'] } } };
    const email = freshEmail();
    t.match(await post('/signup', { email, password: 'trustno1!' }), leaked);
    const session = await post('/signup', { email, password: good });
    t.equal(session.status, 200);
    const bearer = session.body.access_token;
    t.match(await call('PUT', '/user', { body: { password: 'trustno1!' }, bearer }), leaked);
    t.equal((await call('PUT', '/user', { body: { password: `${good} 8` }, bearer })).status, 200);
    const path = `/admin/users/${session.body.user.id}`;
    t.match(await admin('PUT', path, { password: 'trustno1!' }), leaked);
    const link = { type: 'signup', email: freshEmail(), password: 'trustno1!' };
    t.match(await admin('POST', '/admin/generate_link', link), leaked);
    t.equal((await admin('POST', '/admin/users', { email: freshEmail(), password: 'trustno1!' })).status, 200);
  });

  await t.test('a sign-in with one succeeds and says so; a failed one asks nothing', async (t) => {
    const email = freshEmail();
    await admin('POST', '/admin/users', { email, password: 'trustno1!', email_confirm: true });
    service.leaked.add('wrong leaked one');
    const before = service.calls.length;
    t.equal((await post(grant, { email, password: 'wrong leaked one' })).status, 400);
    t.equal((await post(grant, { email: freshEmail(), password: 'wrong leaked one' })).status, 400);
    t.equal(service.calls.length, before);
    const answer = await post(grant, { email, password: 'trustno1!' });
    t.equal(answer.status, 200);
    t.same(answer.body.weak_password, { message: LEAKED, reasons: ['pwned'] });
  });
});

t.test('without an answer of the service', async (t) => {
  const service = await startLeakService(t);
  service.fault = 'status';
  const settings = { PASSWORD_HIBP_ENABLED: 'true', PASSWORD_HIBP_API_URL: service.url };

  await t.test('passwords are accepted', async (t) => {
    const { post } = await openTestServer(t, settings);
    const email = freshEmail();
    t.equal((await post('/signup', { email, password })).status, 200);
    t.match(await post(grant, { email, password }), { status: 200, body: { weak_password: null } });
    t.equal(service.calls.length, 2);
  });

  await t.test('FAIL_CLOSED: new passwords are rejected, sign-ins are not', async (t) => {
    const { post } = await openTestServer(t, { ...settings, PASSWORD_HIBP_FAIL_CLOSED: 'true' });
    const email = freshEmail();
    t.match(await post('/signup', { email, password }), {
      status: 500,
      body: {
        error_code: 'unexpected_failure',
        msg: 'Unable to perform password strength check with HaveIBeenPwned.org.',
      },
    });
    service.fault = 'none';
    t.equal((await post('/signup', { email, password })).status, 200, 'the failed one left nothing behind');
    service.fault = 'status';
    t.match(await post(grant, { email, password }), { status: 200, body: { weak_password: null } });
  });
});

t.test('common passwords and words of the account', async (t) => {
  const { admin, call, post } = await openAdminServer(t, {
    PASSWORD_COMMON_LIST: 'true',
    SITE_URL: 'https://app.rabbithole.example',
  });
  const common = { status: 422, body: { error_code: 'weak_password', weak_password: { reasons: ['common'] } } };
  const email = `liddell.${freshEmail()}`;
  t.match(await post('/signup', { email, password: 'Password1' }), common);
  t.match(await post('/signup', { email, password: 'Liddell1865!' }), common);
  t.match(await post('/signup', { email, password: 'hargreaves', data: { full_name: 'A. Hargreaves' } }), common);
  t.match(await post('/signup', { email, password: 'rabbithole9' }), common);
  const session = await post('/signup', { email, password });
  t.equal(session.status, 200);
  const bearer = session.body.access_token;
  t.match(await call('PUT', '/user', { body: { password: 'liddell1' }, bearer }), common);
  t.match(await call('PUT', '/user', { body: { password: 'duchess1', data: { name: 'Duchess' } }, bearer }), common);
  t.match(await admin('PUT', `/admin/users/${session.body.user.id}`, { password: 'qwerty123' }), common);
  const other = freshEmail();
  await admin('POST', '/admin/users', { email: other, password: 'qwerty123', email_confirm: true });
  const answer = await post(grant, { email: other, password: 'qwerty123' });
  t.match(answer, { status: 200, body: { weak_password: { reasons: ['common'] } } });
});

t.test('a filter file instead of the service', async (t) => {
  const service = await startLeakService(t);
  const folder = t.testdir({ 'download.txt': `${sha1('trustno1!')}:3`, 'empty.env': '' });
  const [from, to] = [`${folder}/download.txt`, `${folder}/leaked.filter`];
  const built = await runCommand(['passwords', 'build-filter', '--from', from, '--to', to], {}, `${folder}/empty.env`);
  t.equal(built.code, 0);
  const { post, server } = await openTestServer(t, {
    METRICS_ENABLED: 'true',
    METRICS_EXPORTER: 'prometheus',
    OTEL_EXPORTER_PROMETHEUS_HOST: '127.0.0.1',
    OTEL_EXPORTER_PROMETHEUS_PORT: '0',
    PASSWORD_HIBP_ENABLED: 'true',
    PASSWORD_HIBP_API_URL: service.url,
    PASSWORD_HIBP_FILE: to,
  });
  const email = freshEmail();
  t.match(await post('/signup', { email, password: 'trustno1!' }), { status: 422, body: { msg: LEAKED } });
  t.equal((await post('/signup', { email, password })).status, 200);
  t.equal(service.calls.length, 0);
  const page = await (await fetch(`http://127.0.0.1:${server.metricsPort}/`)).text();
  t.match(page, /^latchkey_password_filter_built_time_seconds 1\d{9}(\.\d+)?$/m);
  t.match(page, /^latchkey_password_leak_checks_total\{outcome="leaked"\} 1$/m);
});

t.test('switched off, nothing is asked', async (t) => {
  const service = await startLeakService(t);
  const { post } = await openTestServer(t, { PASSWORD_HIBP_API_URL: service.url });
  t.equal((await post('/signup', { email: freshEmail(), password })).status, 200);
  t.equal(service.calls.length, 0);
});
