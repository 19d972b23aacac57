import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { signAdminToken } from '../../src/server/commands/sign-admin-token.js';
import { secretSigningKey } from '../../src/server/keys/key-set.js';
import { openCollector } from '../support/collector.js';
import { readLogLines } from '../support/log-entries.js';
import { openMailFlow } from '../support/mail-flows.js';
import { RawSocket } from '../support/raw-socket.js';
import { findSecrets, prepareSearch } from '../support/secret-search.js';
import { freshEmail, freshPhone, JWT_SECRET } from '../support/server.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

const MARK = 'MARKEDSECRET';

t.test('SEC-71 no log line, metric or span holds a password, token, code, header, cookie or query', async (t) => {
  const collector = await openCollector(t);
  const file = join(t.testdir({}), 'latchkey.log');
  const flow = await openMailFlow(t, {
    LOG_LEVEL: 'trace',
    LOG_FILE: file,
    TRACING_ENABLED: 'true',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    METRICS_ENABLED: 'true',
    METRICS_EXPORTER: 'prometheus',
    OTEL_EXPORTER_PROMETHEUS_HOST: '127.0.0.1',
    OTEL_EXPORTER_PROMETHEUS_PORT: '0',
    SMTP_LOGGING_ENABLED: 'true',
    DEBUG: 'true',
    EXTERNAL_PHONE_ENABLED: 'true',
    SMS_AUTOCONFIRM: 'true',
    EXTERNAL_ANONYMOUS_USERS_ENABLED: 'true',
    SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION: 'true',
  });
  const { call } = flow;
  /** Secrets that must not be found; codes are searched as JSON strings and whole words. */
  const secrets = new Set<string>([MARK, JWT_SECRET]);
  const codes = new Set<string>();
  const keep = (value: unknown): void => {
    for (const secret of findSecrets(value)) secrets.add(secret);
  };
  const admin = await signAdminToken(
    { role: 'service_role', audience: 'authenticated', issuer: '', subject: null, expiresInSeconds: null },
    secretSigningKey({ jwtSecret: JWT_SECRET, jwtKeyId: '' }),
    Math.floor(Date.now() / 1000),
  );
  secrets.add(admin);
  const headers = { cookie: `session=${MARK}`, 'x-captcha': MARK, apikey: MARK, 'user-agent': 'plain' };
  const ask = async (method: string, path: string, options: Parameters<typeof call>[2] = {}) => {
    const answer = await call(method, path, { ...options, headers: { ...headers, ...options.headers } });
    keep(answer.body);
    return answer;
  };
  const mailFor = async (email: string) => {
    const mail = await flow.nextMail(email);
    if (mail.code !== '') codes.add(mail.code);
    const token = mail.link?.searchParams.get('token');
    if (token) secrets.add(token);
    return mail;
  };

  // Sign-up, confirmed by the link; its fragment brings tokens.
  const email = freshEmail();
  const password = `${MARK}-password-1`;
  const body = { email, password, captcha_token: MARK, data: { note: MARK } };
  t.equal((await ask('POST', `/signup?redirect_to=http://localhost:3000/x%3F${MARK}`, { body })).status, 200);
  const followed = await flow.follow((await mailFor(email)).link!);
  t.equal(followed.status, 303);
  for (const name of ['access_token', 'refresh_token']) secrets.add(followed.fragment.get(name)!);
  // Again: now the link is spent.
  await flow.follow(new URL(`http://localhost:9999/verify?type=signup&token=${MARK}&redirect_to=${MARK}`));

  // Codes by mail.
  for (const [path, type] of [
    ['/otp', 'email'],
    ['/magiclink', 'magiclink'],
    ['/recover', 'recovery'],
  ] as const) {
    t.equal((await ask('POST', path, { body: { email } })).status, 200, path);
    const { code } = await mailFor(email);
    t.equal((await ask('POST', '/verify', { body: { type, email, token: '000000' } })).status, 403);
    t.equal((await ask('POST', '/verify', { body: { type, email, token: code } })).status, 200, type);
  }

  // Passwords, right, wrong and long; refresh; the account; reauthentication; logout.
  const signIn = (given: string) => ask('POST', '/token?grant_type=password', { body: { email, password: given } });
  const { access_token: bearer, refresh_token } = (await signIn(password)).body;
  await signIn(`${MARK}-wrong`);
  await signIn(MARK.repeat(100));
  t.equal((await ask('POST', '/token?grant_type=refresh_token', { body: { refresh_token } })).status, 200);
  await ask('POST', '/token?grant_type=refresh_token', { body: { refresh_token: `${MARK}-forged` } });
  await ask('POST', `/token?grant_type=${MARK}`, { body: { password: MARK } });
  await ask('POST', '/token?grant_type=pkce', { body: { auth_code: MARK, code_verifier: MARK } });
  await ask('POST', '/token?grant_type=id_token', { body: { id_token: MARK, provider: 'google', nonce: MARK } });
  t.equal((await ask('GET', '/reauthenticate', { bearer })).status, 200);
  const nonce = (await mailFor(email)).code;
  t.equal((await ask('PUT', '/user', { bearer, body: { password: `${MARK}-password-2`, nonce } })).status, 200);
  await ask('PUT', '/user', { bearer, body: { password: MARK, nonce: MARK } });
  t.equal((await ask('PUT', '/user', { bearer, body: { email: freshEmail() } })).status, 200);
  await ask('GET', `/user?token=${MARK}`, { bearer: `${bearer}x` });
  await ask('GET', '/user', { headers: { authorization: `Basic ${MARK}` } });
  t.equal((await ask('POST', '/logout', { bearer })).status, 204);
  await ask('POST', '/signup', { body: { phone: freshPhone(), password: `${MARK}-phone` } });
  t.equal((await ask('POST', '/signup', { body: {} })).status, 200, 'anonymous');

  // Administrators.
  const created = await ask('POST', '/admin/users', {
    bearer: admin,
    body: { email: freshEmail(), password: `${MARK}-admin` },
  });
  t.equal(created.status, 200);
  await ask('GET', '/admin/users', { bearer: admin });
  const link = { type: 'magiclink', email };
  const generated = await ask('POST', '/admin/generate_link', { bearer: admin, body: link });
  t.equal(generated.status, 200);
  codes.add(generated.body.email_otp);
  secrets.add(generated.body.action_link);
  t.equal((await ask('POST', '/invite', { bearer: admin, body: { email: freshEmail() } })).status, 200);
  await ask('GET', '/admin/users', { bearer: MARK });

  // Unparsable requests and unknown paths.
  for (const text of [
    `{"password":"${MARK}`,
    `{"password":{"a":"${MARK}"}}`,
    `["${MARK}"]`,
    MARK,
    `{"email":"${MARK}@","password":"${MARK}"}`,
  ]) {
    for (const path of ['/signup', '/token?grant_type=password', '/verify', '/magiclink', '/admin/users']) {
      await fetch(flow.url + path, { method: 'POST', body: text, headers: { authorization: `Bearer ${admin}` } });
    }
  }
  await ask('GET', `/callback?code=${MARK}&state=${MARK}&error_description=${MARK}`);
  await ask('POST', `/callback?code=${MARK}`, { body: { code: MARK, state: MARK } });
  await fetch(`${flow.url}/authorize?provider=github&code_challenge=${MARK}&scopes=${MARK}`, { redirect: 'manual' });
  await ask('GET', `/nowhere?${MARK}`);
  await ask('OPTIONS', `/user?${MARK}`);

  // A body longer than announced: its rest looks like the method, or the path, of another request.
  for (const rest of [`${MARK}"}POST /token HTTP/1.1`, `{"a": /"${MARK}" HTTP/1.1`]) {
    const socket = await RawSocket.connect(flow.server.port);
    const body = `{"email":"a@example.com","password":"`;
    await socket.write(`POST /signup HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await socket.write(`${rest}\r\nHost: a\r\n\r\n`);
    await new Promise((resolve) => setTimeout(resolve, 100));
    socket.close();
  }

  const page = await (await fetch(`http://127.0.0.1:${flow.server.metricsPort}/`)).text();
  await flow.server.stop(2);
  await new Promise((resolve) => setTimeout(resolve, 300));
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  t.ok(lines.length > 80, 'there is a log to search');
  t.ok(page.includes('latchkey_sign_ins_total') && collector.spans.length > 100, 'and metrics and spans');
  t.ok(secrets.size > 15 && codes.size >= 4);
  const all = [...lines, page, ...collector.texts];
  const text = all.join('\n');
  for (const secret of secrets) t.notOk(text.includes(secret), `${secret.slice(0, 12)}…`);
  const words = new Set(text.split(/[^0-9A-Za-z.]+/));
  for (const code of codes) t.notOk(words.has(code), 'a code');
  t.notMatch(text, /eyJ[\w-]{10,}\.eyJ[\w-]{10,}\./, 'nor any other JWT');
  t.notMatch(text, /Bearer |Basic |\$argon2|postgres(?:ql)?:\/\/[^:@"]+:[^@"]+@/);
  t.match(
    lines.find((line) => line.includes('"/verify"')),
    /"path":"\/verify"/,
    'the path without its query',
  );
});

t.test('SEC-71 each line is one JSON object, control characters escaped', async (t) => {
  const file = join(t.testdir({}), 'latchkey.log');
  const { call, post, server } = await openMailFlow(t, {
    LOG_LEVEL: 'trace',
    LOG_FILE: file,
    REQUEST_ID_HEADER: 'x-request-id',
  });
  await call('GET', '/%1b%5b31mred%0d%0a%7b%22level%22%3a%22fatal%22%7d');
  await call('GET', '/%e2%80%a8%c2%85');
  await post('/signup', { email: 'a\n{"msg":"forged"}\u001b[2J@b', password: 'x' });
  await call('POST', '/token?grant_type=%0a%1b', {
    headers: { 'x-request-id': '{"a":1}', 'x-forwarded-for': '{"b":2}' },
  });
  await server.stop(1);
  const findCompleted = () => readLogLines(file).filter((line) => line.includes('"request completed"'));
  await until(() => findCompleted().length >= 4);
  const lines = readLogLines(file);
  t.notMatch(lines.join('\n'), /[\u0000-\u0009\u000b-\u001f\u007f\u0085\u2028\u2029]/);
  for (const line of lines) t.type(JSON.parse(line).msg, 'string');
  t.equal(findCompleted().length, 4);
});

t.test('SEC-71 the search finds what is there', async (t) => {
  const secret = 'abcdefghijklmnopqrstuvwxyz';
  t.same(findSecrets({ a: { refresh_token: secret }, b: [{ password: secret }], email: secret }), [secret, secret]);
  t.same(findSecrets({ token: '123456', password: 'a'.repeat(40) }), [], 'too short or too plain to be a secret');
  t.same(findSecrets({ token: '6fa459ea-ee8a-3ca4-894e-db77e160355e' }), [], 'an id that stood in for a token');
  t.same(prepareSearch([secret])(`{"x":"1"}\n{"y":"${secret}"}\n`), ['{"y":"<secret>"}']);
  t.same(prepareSearch([secret])(`abcdefghijklmnopqrst`), [], 'its beginning alone is not it');
  const lines = 'x'.repeat(1000);
  t.same(prepareSearch(['y'.repeat(20), secret])(`${secret}\n${lines}${secret}`), [
    '<secret>',
    `${lines}<secret>`.slice(0, 600),
  ]);
});
