/** The keys of `npm start` are in its own database: the console rotates them, and nobody is signed out. */
import { decodeProtectedHeader } from 'jose';
import { ConsoleBrowser } from '../support/console-browser.js';
import { startDev } from '../support/dev-server.js';
import { call, freshEmail, password } from '../support/server.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

t.test('a key is rotated in the console', async (t) => {
  const { url, adminToken, consoleLink } = await startDev(t);
  const email = freshEmail();
  const { body: first } = await call(url, 'POST', '/signup', { body: { email, password } });
  const kidOf = (token: string) => decodeProtectedHeader(token).kid;
  const signIn = async () =>
    (await call(url, 'POST', '/token?grant_type=password', { body: { email, password } })).body.access_token;

  const browser = new ConsoleBrowser(Number(new URL(consoleLink).port));
  const entered = await browser.post('/api/link/session', { link: new URL(consoleLink).hash.slice(1) });
  t.equal(entered.status, 200, entered.text);
  const before = (await browser.get('/api/keys')).body;
  t.match(before, { source: 'database', signing_kid: kidOf(first.access_token) });
  t.equal((await browser.post('/api/keys/rotate', { alg: 'ES256', wait_seconds: 0 })).status, 200);
  await until(async () => kidOf(await signIn()) !== before.signing_kid);
  for (const [whose, bearer] of Object.entries({ earlier: first.access_token, new: await signIn() })) {
    t.match(await call(url, 'GET', '/user', { bearer }), { status: 200, body: { email } }, whose);
  }
  t.equal(
    (await call(url, 'GET', '/admin/users', { bearer: adminToken })).status,
    200,
    'the token of the start screen',
  );
});
