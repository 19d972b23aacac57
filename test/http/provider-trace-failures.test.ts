/** What an operator sees of a sign-in at a provider that fails, at each hop where it can. */

import { asAdmin } from '../support/admin.js';
import { makeSigningKeys } from '../support/id-tokens.js';
import { kindsOf, openTracedProviders, stepsOf } from '../support/provider-trace.js';
import { t } from '../support/tap.js';

t.test('the person refuses at the provider', async (t) => {
  const { attempt } = await openTracedProviders(t, ['github', 'twitter']);
  const { answer, trace } = await attempt('github', { decision: 'deny', errorDescription: 'Not today' });
  t.match(answer.headers.get('location'), /error=access_denied/);
  t.equal(trace.state, 'denied');
  t.same(kindsOf(trace), ['authorize', 'callback', 'end']);
  t.match(stepsOf(trace, 'end')[0], { is_ok: false, detail: { error: 'access_denied', description: 'Not today' } });
  t.equal((await attempt('twitter', { decision: 'deny' })).trace.state, 'denied');
  const dry = await attempt('github', { decision: 'deny', errorDescription: '<b>no</b>', isDry: true });
  t.match(await dry.answer.text(), /&lt;b&gt;no&lt;\/b&gt;/);
});

t.test('a wrong client secret: both ways to send it, what the provider said, and what to do', async (t) => {
  const { attempt } = await openTracedProviders(t, ['github', 'apple'], {
    EXTERNAL_GITHUB_SECRET: 'the-wrong-secret-1',
  });
  const { answer, trace } = await attempt('github');
  t.match(answer.headers.get('location'), /error_code=unexpected_failure/);
  t.equal(trace.state, 'failed');
  t.same(kindsOf(trace), ['authorize', 'callback', 'token', 'token', 'end']);
  t.match(stepsOf(trace, 'token'), [
    { is_ok: false, detail: { client_authentication: 'basic', status: 200 } },
    {
      is_ok: false,
      detail: { client_authentication: 'body', error_body: /incorrect_client_credentials|invalid_client/ },
    },
  ]);
  t.match(stepsOf(trace, 'end')[0], {
    detail: { error: 'codeExchangeFailed', status: 500, cause: /token endpoint answered/ },
    advice: /client id, secret or redirect URI/,
  });
  t.notOk(JSON.stringify(trace).includes('the-wrong-secret-1'));
});

t.test('an ID token with another nonce, of another key, expired, or no token at all', async (t) => {
  const { attempt, providers } = await openTracedProviders(t, ['google']);
  const issuer = providers.issuerOf('google');
  const frame = { iss: issuer, sub: 'g1', email: 'g@example.com', email_verified: true };
  const seconds = Math.floor(Date.now() / 1000);
  const told = async (idToken: unknown) => {
    providers.person('google', { answers: { idToken } });
    const { trace } = await attempt('google', { isDry: true });
    t.equal(trace.state, 'failed');
    return trace;
  };
  const token = await providers.idToken('google', { ...frame, nonce: 'of-somebody-else' });
  const other = await told(token);
  t.match(stepsOf(other, 'id_token')[0], {
    is_ok: false,
    detail: { nonce: 'another', fault: 'the ID token has not our nonce', claims: { iss: issuer } },
  });
  t.notOk(JSON.stringify(other).includes('of-somebody-else'));
  t.match(stepsOf(await told(await providers.idToken('google', frame)), 'id_token')[0].detail, { nonce: 'missing' });
  const late = await told(await providers.idToken('google', { ...frame, iat: seconds - 700, exp: seconds - 100 }));
  const { detail } = stepsOf(late, 'id_token')[0];
  t.match(detail, { fault: /expired/ });
  t.ok(detail.valid_for_seconds <= -100 && detail.issued_seconds_ago >= 700);
  const strange = await makeSigningKeys();
  const forged = await strange.signIdToken({ ...frame, aud: 'google-client', iat: seconds, exp: seconds + 600 });
  t.match(stepsOf(await told(forged), 'id_token')[0].detail, { fault: /signature|no applicable key/ });
  t.match(stepsOf(await told('not.a.token'), 'id_token')[0], { is_ok: false, detail: { fault: /./ } });
});

t.test('a state that is not ours or missing finds the trace by the cookie; it goes on', async (t) => {
  const { openTrace, openBrowser, providers, read } = await openTracedProviders(t, ['github']);
  const { id, path } = await openTrace('github', false);
  const browser = openBrowser();
  const departure = await browser.open(path);
  const back = await providers.signIn(departure.headers.get('location')!);
  const mangled = new URL(back.url);
  mangled.searchParams.set('state', 'a-state-that-some-proxy-made-of-it');
  const landing = await browser.comeBack({ ...back, url: mangled.href });
  t.equal(landing.status, 303);
  mangled.searchParams.delete('state');
  await browser.comeBack({ ...back, url: mangled.href });
  const trace = await read(id);
  t.match(stepsOf(trace, 'callback'), [
    { is_ok: false, detail: { state: 'refused', error: 'stateInvalid' }, advice: /none of this server/ },
    { is_ok: false, detail: { state: 'missing', error: 'stateMissing' } },
  ]);
  t.equal(trace.state, 'running');
  t.equal((await browser.comeBack(back)).status, 302);
  const ended = await read(id);
  t.equal(ended.state, 'session');
  t.equal((await browser.comeBack(back)).status, 303, 'the state is used');
  t.same(await read(id), ended, 'nothing is added after the end');
});

t.test('a browser without the cookie, and a callback after ten minutes', async (t) => {
  const { console, openTrace, openBrowser, providers, read } = await openTracedProviders(t, ['github']);
  const { id, path } = await openTrace('github');
  const departure = await openBrowser().open(path);
  const back = await providers.signIn(departure.headers.get('location')!);
  await openBrowser().comeBack(back);
  t.match(stepsOf(await read(id), 'callback'), [{ detail: { error: 'stateOfOtherBrowser' }, advice: /cookie/ }]);

  const late = await openTrace('github');
  const browser = openBrowser();
  const away = await browser.open(late.path);
  await console.database.admin.query(`
    update flow_states set created_at = now() - interval '11 minutes';
    update provider_traces set started_at = now() - interval '12 minutes'`);
  t.equal((await read(late.id)).state, 'abandoned');
  await browser.comeBack(await providers.signIn(away.headers.get('location')!));
  t.match(stepsOf(await read(late.id), 'callback'), [{ detail: { error: 'stateExpired' } }]);
});

t.test('accounts that are refused: the rule, the account and the settings behind it', async (t) => {
  const { attempt, console, providers } = await openTracedProviders(t, ['google'], { DISABLE_SIGNUP: 'true' });
  const admin = asAdmin(console);
  const stranger = await attempt('google');
  t.equal(stranger.trace.state, 'failed');
  t.match(stepsOf(stranger.trace, 'decision')[0], {
    is_ok: false,
    detail: { rule: 'sign_up_disabled', kind: 'reject', user_id: null, rules: { is_sign_up_disabled: true } },
    says: /AUTH_DISABLE_SIGNUP/,
  });
  t.match(stepsOf(stranger.trace, 'end')[0].detail, { error: 'signupDisabled', error_code: 'signup_disabled' });

  const body = { email: 'banned@example.com', email_confirm: true, ban_duration: '24h' };
  const { body: user } = await admin('POST', '/admin/users', body);
  providers.person('google', { email: 'banned@example.com' });
  const banned = await attempt('google', { isDry: true });
  t.match(await banned.answer.text(), /User is banned/i);
  t.match(stepsOf(banned.trace, 'decision')[0], {
    detail: { rule: 'banned', accounts: [{ id: user.id, is_banned: true }] },
    says: /banned/,
  });
  t.equal(banned.trace.state, 'failed');
});

t.test('a provider that cannot be reached, before the browser leaves and after it came back', async (t) => {
  const { console, openTrace, openBrowser, operator, attempt, providers, read } = await openTracedProviders(
    t,
    ['keycloak', 'github', 'twitter'],
    { EXTERNAL_TWITTER_URL: 'http://127.0.0.1:1' },
  );
  providers.misbehave('github', 'token', 'server error');
  const broken = await attempt('github');
  t.match(stepsOf(broken.trace, 'token')[0].detail, { status: 500, error_body: /server_error/ });
  providers.misbehave('github', 'token', 'cut');
  t.match(stepsOf((await attempt('github')).trace, 'token')[0].detail, { fault: /closed the connection/ });
  providers.misbehave('github', 'token', null);
  providers.misbehave('github', 'profile', 'html');
  const html = (await attempt('github')).trace;
  t.match(stepsOf(html, 'end')[0].detail, { error: 'providerProfileFailed', cause: /not JSON/ });

  for (const [isDry, status] of [
    [true, 200],
    [false, 302],
  ] as const) {
    const { id, path } = await openTrace('twitter', isDry);
    const answer = await openBrowser().open(path);
    t.equal(answer.status, status);
    const trace = await read(id);
    t.same(kindsOf(trace), ['request_token', 'end']);
    t.match(trace, { state: 'failed', steps: [{ detail: { fault: /ECONNREFUSED/ } }, { advice: /request token/ }] });
  }
  t.match(await operator.post('/api/providers/gitlab/traces'), {
    status: 400,
    body: { msg: /provider is not enabled/ },
  });
  t.match(await operator.post('/api/providers/nothing/traces'), {
    status: 404,
    body: { error_code: 'provider_not_found' },
  });
  t.equal(
    (await console.database.admin.query("select from audit_log where payload ->> 'action' = 'provider_trace_opened'"))
      .rowCount,
    5,
  );
});
