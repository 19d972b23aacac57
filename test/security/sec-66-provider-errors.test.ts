import { openExternalFlow } from '../support/external-flow.js';
import { freshEmail } from '../support/server.js';
import { t } from '../support/tap.js';

const HOSTILE = '<script>alert(1)</script>"\'\r\nSet-Cookie: a=b\r\n\r\n<h1>&access_token=x#y\t';

t.test('SEC-66: the error text of a provider is an encoded parameter', async (t) => {
  const flow = await openExternalFlow(t, ['github'], { URI_ALLOW_LIST: 'https://app.example.com/**' });
  const browser = flow.openBrowser();
  const { location } = await browser.leave('github', { redirect_to: 'https://app.example.com/in' });
  const state = new URL(location).searchParams.get('state')!;
  const query = new URLSearchParams({ state, error: `x${HOSTILE}`, error_description: HOSTILE });
  const response = await browser.open(`/callback?${query}`);
  t.equal(response.status, 302);
  t.equal(await response.text(), '', 'no page of ours repeats it');
  t.equal(response.headers.get('set-cookie'), null);
  const raw = response.headers.get('location')!;
  t.ok(raw.startsWith('https://app.example.com/in?'));
  t.notMatch(raw, /[<>"'\s]/);
  const landing = new URL(raw);
  t.same([...landing.searchParams.keys()], ['error', 'error_description']);
  t.same([...new URLSearchParams(landing.hash.slice(1)).keys()], ['error', 'error_description', 'sb']);
  t.match(landing.searchParams.get('error_description'), '<script>alert(1)</script>');
  t.notMatch(landing.searchParams.get('error_description'), /[\t\r\n]/);
});

t.test('SEC-66: texts are cut to what fits into a URL', async (t) => {
  const flow = await openExternalFlow(t, ['github']);
  const long = 'a'.repeat(1500);
  const { location, query } = await flow.signIn('github', { decision: 'deny', error: long, errorDescription: long });
  t.ok(location.href.length < 3000);
  t.match(query.get('error'), /^a{20,500}$/);
  t.match(query.get('error_description'), /^a{20,500}$/);
});

t.test('SEC-66: an answer of the provider to the server is not passed on', async (t) => {
  const flow = await openExternalFlow(t, ['github']);
  const secret = 'internal-detail-of-the-provider';
  const body = { error: 'invalid_grant', error_description: `<b>${secret}</b>` };
  const as = flow.providers.person('github', { email: freshEmail(), subject: 5, answers: { token: body } });
  const landing = await flow.signIn('github', { as });
  t.equal(landing.query.get('error'), 'server_error');
  t.equal(landing.query.get('error_code'), 'unexpected_failure');
  t.match(landing.query.get('error_description'), /^Unable to exchange external code: \S{4}$/);
  t.notOk(landing.location.href.includes(secret));
});

t.test('SEC-66: the redirect leads to an allowed target only', async (t) => {
  const flow = await openExternalFlow(t, ['github'], { URI_ALLOW_LIST: 'https://app.example.com/**' });
  for (const redirect_to of [
    'https://evil.example/',
    'javascript:alert(1)',
    '//evil.example',
    'https://app.example.com@evil.example/',
  ]) {
    const landing = await flow.signIn('github', { decision: 'deny', query: { redirect_to } });
    t.equal(landing.location.origin, 'http://localhost:3000', redirect_to);
  }
});
