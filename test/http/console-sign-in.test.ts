/** Operators sign in to the console: links, passkeys, passwords with codes, step-up, ends of sessions. */
import bcrypt from 'bcryptjs';
import { Authenticator } from '../support/authenticator.js';
import { openOperatorApp } from '../support/authenticator-app.js';
import { forgetStepUps, openTestConsole, stepUpAgain, type TestConsole } from '../support/console.js';
import { ConsoleBrowser } from '../support/console-browser.js';
import { createTestDatabase } from '../support/database.js';
import { startDev } from '../support/dev-server.js';
import { password } from '../support/server.js';
import { t } from '../support/tap.js';

const actionsOf = async ({ database }: TestConsole): Promise<string[]> => {
  const { rows } = await database.admin.query<{ action: string }>(
    "select payload ->> 'action' as action from audit_log order by created_at, payload ->> 'action'",
  );
  return rows.map(({ action }) => action);
};

/** Sets up a password by a link. */
async function setPassword(browser: ConsoleBrowser, link: string) {
  const { body } = await browser.post('/api/link/authenticator', { link });
  const app = openOperatorApp(body.secret);
  const answer = await browser.post('/api/link/password', { link, password, code: app.nextCode() });
  return { app, answer, secret: body.secret as string };
}

t.test('a link sets up a passkey once, and signs in', async (t) => {
  const console = await openTestConsole(t);
  const { link } = await console.invite('ann@example.com', 'admin');
  const browser = new ConsoleBrowser(console.consolePort);
  t.match((await browser.post('/api/link', { link })).body, {
    operator: { name: 'ann@example.com', role: 'admin' },
    signs_in: false,
    passkeys: true,
  });
  t.match(await browser.get('/api/me'), { status: 401, body: { error_code: 'operator_signed_out' } });
  const authenticator = new Authenticator({ origin: browser.origin });
  const { body } = await browser.post('/api/link/passkey/options', { link });
  t.equal(body.options.rp.id, 'localhost');
  t.equal(body.options.authenticatorSelection.userVerification, 'required');
  const response = { link, challenge_id: body.challenge_id, credential: authenticator.create(body.options) };
  const answer = await browser.post('/api/link/passkey', response);
  t.match(answer, { status: 200, body: { operator: { name: 'ann@example.com', role: 'admin' } } });
  t.match(answer.headers['set-cookie'], [
    /^latchkey-console=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
  ]);
  t.match((await browser.get('/api/me')).body, {
    operator: { name: 'ann@example.com' },
    has_password: false,
    passkeys: [{ name: 'Passkey' }],
    session: { method: 'passkey' },
    sessions: [{ is_current: true, ip: '127.0.0.1' }],
  });
  t.match(await browser.post('/api/link', { link }), { status: 403, body: { error_code: 'operator_link' } });
  t.match(await browser.post('/api/link/passkey', response), { status: 403, body: { error_code: 'operator_link' } });

  const other = new ConsoleBrowser(console.consolePort);
  const begun = (await other.post('/api/sign-in/passkey/options')).body;
  const assertion = { challenge_id: begun.challenge_id, credential: authenticator.get(begun.options) };
  t.equal((await other.post('/api/sign-in/passkey', assertion)).status, 200);
  t.match(await other.post('/api/sign-in/passkey', assertion), {
    status: 400,
    body: { error_code: 'webauthn_challenge_not_found' },
  });
  t.equal((await other.get('/api/me')).body.sessions.length, 2);
  const { rows } = await console.database.admin.query('select token_hash from operator_sessions');
  t.notOk(
    rows.some(({ token_hash }) => other.cookie.includes(token_hash)),
    'the token is stored as a hash',
  );
  t.same(await actionsOf(console), [
    'operator_created',
    'operator_passkey_added',
    'operator_signed_in',
    'operator_signed_in',
  ]);
});

t.test('a passkey of another site, or of a user, does not sign in', async (t) => {
  const console = await openTestConsole(t);
  const browser = await console.signIn('viewer');
  for (const lies of [
    { origin: 'http://localhost:1' },
    { origin: 'https://evil.example' },
    { rpId: 'example.com' },
    { otherKey: true },
    { flags: { uv: false } },
    { challenge: 'AAAA' },
  ]) {
    const other = new ConsoleBrowser(console.consolePort);
    const { body } = await other.post('/api/sign-in/passkey/options');
    const credential = browser.authenticator.get(body.options, lies);
    const answer = await other.post('/api/sign-in/passkey', { challenge_id: body.challenge_id, credential });
    t.match(answer, { status: 400, body: { error_code: 'webauthn_verification_failed' } }, JSON.stringify(lies));
    t.equal(other.cookie, '');
  }
  const other = new ConsoleBrowser(console.consolePort);
  const { body } = await other.post('/api/sign-in/passkey/options');
  const credential = new Authenticator({ origin: other.origin }).get(body.options);
  const answer = await other.post('/api/sign-in/passkey', { challenge_id: body.challenge_id, credential });
  t.match(answer, { status: 401, body: { error_code: 'operator_sign_in' } });
});

t.test('a password needs the code of an authenticator app, each code once', async (t) => {
  const console = await openTestConsole(t);
  const { link } = await console.invite('ben', 'support');
  const browser = new ConsoleBrowser(console.consolePort);
  t.match(await browser.post('/api/link/password', { link, password, code: '123456' }), {
    status: 422,
    body: { error_code: 'operator_code' },
  });
  const { app, answer, secret } = await setPassword(browser, link);
  t.equal(answer.status, 200);
  const other = new ConsoleBrowser(console.consolePort);
  const code = app.nextCode();
  for (const wrong of [
    { name: 'ben', password, code: '000000' },
    { name: 'ben', password: 'wrong', code },
    { name: 'nobody', password, code },
    { name: 'ben', password, code: '' },
  ]) {
    t.match(await other.post('/api/sign-in/password', wrong), {
      status: 401,
      body: { error_code: 'operator_sign_in', msg: 'Name, password or code is wrong' },
    });
  }
  t.equal((await other.post('/api/sign-in/password', { name: 'BEN ', password, code })).status, 200);
  t.equal((await other.post('/api/sign-in/password', { name: 'ben', password, code })).status, 401, 'used before');
  const { rows } = await console.database.admin.query('select password_hash, totp_secret from operators');
  t.match(rows, [{ password_hash: /^\$argon2id/, totp_secret: /^[\w-]{40,}$/ }]);

  const typed = 'Zürich 1234'.normalize('NFD');
  const admin = console.database.admin;
  await admin.query('update operators set password_hash = $1, totp_last_step = null', [bcrypt.hashSync(typed, 4)]);
  const signIn = (given: string) =>
    other.post('/api/sign-in/password', { name: 'ben', password: given, code: openOperatorApp(secret).nextCode() });
  t.equal((await signIn(typed)).status, 200);
  await admin.query('update operators set totp_last_step = null');
  t.equal((await signIn(typed.normalize('NFC'))).status, 200, 'the hash was renewed, in the one Unicode form');
});

t.test('guesses are delayed, for names without an operator, too', async (t) => {
  const console = await openTestConsole(t);
  const browser = new ConsoleBrowser(console.consolePort);
  const { link } = await console.invite('ben', 'support');
  const { app } = await setPassword(browser, link);
  for (const name of ['ben', 'nobody']) {
    const statuses: number[] = [];
    for (let n = 0; n < 11; n++) {
      statuses.push((await browser.post('/api/sign-in/password', { name, password: 'x', code: '000000' })).status);
    }
    t.same(statuses, [...Array(10).fill(401), 429], name);
  }
  const right = { name: 'ben', password, code: app.nextCode() };
  t.match(await browser.post('/api/sign-in/password', right), { status: 429 }, 'the right password waits, too');
});

t.test('a step-up gives the session another token, and only its operator can make it', async (t) => {
  const console = await openTestConsole(t);
  const ann = await console.signIn('owner', 'ann');
  const ben = await console.signIn('owner', 'ben');
  await forgetStepUps(console);
  const create = { name: 'new', role: 'viewer' };
  t.match(await ann.post('/api/operators', create), { status: 403, body: { error_code: 'operator_step_up' } });
  const { body } = await ann.post('/api/sign-in/passkey/options');
  const foreign = { challenge_id: body.challenge_id, credential: ben.authenticator.get(body.options) };
  t.match(await ann.post('/api/me/step-up', foreign), { status: 401, body: { error_code: 'operator_sign_in' } });
  const former = ann.cookie;
  t.equal((await stepUpAgain(ann)).status, 200);
  t.not(ann.cookie, former);
  t.equal((await ann.post('/api/operators', create)).status, 200);
  t.equal((await ann.get('/api/me')).body.sessions.length, 1, 'it is the same session');
  const thief = new ConsoleBrowser(console.consolePort);
  thief.cookie = former;
  t.equal((await thief.get('/api/me')).status, 401, 'the former token is worth nothing');
});

t.test('sessions end: sign-out, 30 minutes without use, 12 hours, the end of the operator', async (t) => {
  const console = await openTestConsole(t);
  const { admin } = console.database;
  const ann = await console.signIn('owner', 'ann');
  const age = (column: string, interval: string) =>
    admin.query(`update operator_sessions set ${column} = now() - $1::interval`, [interval]);

  await age('used_at', '29 minutes');
  t.equal((await ann.get('/api/me', { 'x-latchkey-background': '1' })).status, 200);
  await age('used_at', '31 minutes');
  t.equal((await ann.get('/api/me')).status, 401);
  await age('used_at', '29 minutes');
  await ann.get('/api/me', { 'x-latchkey-background': '1' });
  const idle = 'select now() - used_at as idle from operator_sessions';
  t.equal((await admin.query(idle)).rows[0].idle.minutes, 29, 'what the page asks by itself is no use');
  await ann.get('/api/me');
  t.equal((await admin.query(idle)).rows[0].idle.minutes, undefined, 'what the operator asks is one');
  await age('created_at', '12 hours 1 second');
  t.equal((await ann.get('/api/me')).status, 401);
  await age('created_at', '0');

  const out = await ann.call('DELETE', '/api/me/session');
  t.match(out, { status: 204, headers: { 'set-cookie': [/Max-Age=0/] } });
  t.same((await admin.query('select * from operator_sessions')).rows, []);

  const ben = await console.signIn('viewer', 'ben');
  const cid = await console.signIn('owner', 'cid');
  const roleOf = async () => (await ben.get('/api/me')).body.operator?.role;
  t.equal(await roleOf(), 'viewer');
  t.equal((await cid.call('PUT', `/api/operators/${ben.operatorId}`, { body: { role: 'admin' } })).status, 200);
  t.equal((await ben.get('/api/me')).status, 401, 'a changed role ends the sessions');
  t.match(await cid.call('DELETE', `/api/operators/${cid.operatorId}`), { status: 409 }, 'not oneself');
  t.equal((await cid.call('DELETE', `/api/operators/${ben.operatorId}`)).status, 204);
  const { rows } = await admin.query(
    "select payload from audit_log where payload ->> 'action' = 'operator_role_changed'",
  );
  t.match(rows, [
    {
      payload: {
        actor_id: cid.operatorId,
        actor_username: 'cid',
        traits: {
          operator: { id: cid.operatorId, name: 'cid', role: 'owner' },
          request_id: /^[0-9a-f-]{36}$/,
          operator_id: ben.operatorId,
          before: { role: 'viewer' },
          after: { role: 'admin' },
        },
      },
    },
  ]);
});

t.test('the last owner stays, and a reset ends everything of an operator', async (t) => {
  const console = await openTestConsole(t);
  const ann = await console.signIn('owner', 'ann');
  const ben = await console.signIn('owner', 'ben');
  const change = (by: typeof ann, of: typeof ann) =>
    by.call('PUT', `/api/operators/${of.operatorId}`, { body: { role: 'viewer' } });
  const both = await Promise.all([change(ann, ben), change(ben, ann)]);
  const done = both.filter(({ status }) => status === 200);
  t.equal(done.length, 1, 'of two owners who demote each other one remains');
  const { rows } = await console.database.admin.query("select name from operators where role = 'owner'");
  t.equal(rows.length, 1);

  const owner = rows[0].name === 'ann' ? ann : ben;
  const other = owner === ann ? ben : ann;
  const { body } = await owner.post(`/api/operators/${other.operatorId}/reset`, { reason: 'lost the phone' });
  t.match(body, { operator: { has_password: false, passkeys: 0 }, link: /\/link#[\w-]{43}$/ });
  const begun = (await other.post('/api/sign-in/passkey/options')).body;
  const credential = other.authenticator.get(begun.options);
  t.equal((await other.post('/api/sign-in/passkey', { challenge_id: begun.challenge_id, credential })).status, 401);
  const browser = new ConsoleBrowser(console.consolePort);
  const { answer } = await setPassword(browser, new URL(body.link).hash.slice(1));
  t.equal(answer.status, 200);
  t.match((await browser.get('/api/me')).body, { has_password: true, passkeys: [] });
});

t.test('passkeys of one’s own: another one, and not the last', async (t) => {
  const console = await openTestConsole(t);
  const ann = await console.signIn('viewer', 'ann');
  const [first] = (await ann.get('/api/me')).body.passkeys;
  t.match(await ann.call('DELETE', `/api/me/passkeys/${first.id}`), {
    status: 409,
    body: { error_code: 'operator_last_factor' },
  });
  const { body } = await ann.post('/api/me/passkeys/options');
  t.same(body.options.excludeCredentials.length, 1);
  const second = new Authenticator({ origin: ann.origin });
  const response = { challenge_id: body.challenge_id, credential: second.create(body.options) };
  t.equal((await ann.post('/api/me/passkeys', response)).status, 200);
  t.equal((await ann.call('DELETE', `/api/me/passkeys/${first.id}`)).status, 204);
  await forgetStepUps(console);
  t.match(await ann.post('/api/me/passkeys/options'), { status: 403, body: { error_code: 'operator_step_up' } });
});

t.test('the link of npm start signs in once, and its operator can add a passkey without a step-up', async (t) => {
  const { url: DATABASE_URL } = await createTestDatabase(t);
  const { consoleLink } = await startDev(t, { DATABASE_URL });
  const { port, hash } = new URL(consoleLink);
  const browser = new ConsoleBrowser(Number(port));
  const link = hash.slice(1);
  t.match((await browser.post('/api/link', { link })).body, { operator: { role: 'owner' }, signs_in: true });
  t.match(await browser.post('/api/link/authenticator', { link }), { status: 403 }, 'it sets up nothing');
  t.equal((await browser.post('/api/link/session', { link })).status, 200);
  t.match((await browser.get('/api/me')).body, {
    operator: { name: 'developer' },
    passkeys: [],
    session: { method: 'link' },
  });
  t.equal((await new ConsoleBrowser(Number(port)).post('/api/link/session', { link })).status, 403);
  const { body } = await browser.post('/api/me/passkeys/options');
  const authenticator = new Authenticator({ origin: browser.origin });
  const response = { challenge_id: body.challenge_id, credential: authenticator.create(body.options) };
  t.equal((await browser.post('/api/me/passkeys', response)).status, 200);
});
