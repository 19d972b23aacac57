/** The console says which identity providers work, and which callback to register. */

import { openTestConsole } from '../support/console.js';
import { t } from '../support/tap.js';

t.test('providers of the configuration: ready, incomplete, off', async (t) => {
  const console = await openTestConsole(t, {
    EXTERNAL_GITHUB_ENABLED: 'true',
    EXTERNAL_GITHUB_CLIENT_ID: 'our-client',
    EXTERNAL_GITHUB_SECRET: 'the-secret-of-github',
    EXTERNAL_GITHUB_REDIRECT_URI: 'https://auth.example.com/callback',
    EXTERNAL_GITLAB_ENABLED: 'true',
    EXTERNAL_GITLAB_CLIENT_ID: 'our-client',
    EXTERNAL_GITLAB_REDIRECT_URI: 'http://localhost:9999/callback',
  });
  const viewer = await console.signIn('viewer');
  const answer = await viewer.get('/api/providers');
  t.equal(answer.status, 200);
  const of = (name: string) => answer.body.providers.find((one: { name: string }) => one.name === name);
  t.match(of('github'), {
    enabled: true,
    problem: null,
    client_id: 'our-client',
    callback_url: 'https://auth.example.com/callback',
    is_callback_usual: false,
    settings_prefix: 'AUTH_EXTERNAL_GITHUB_',
  });
  t.match(of('gitlab'), { enabled: true, problem: 'missing OAuth secret', is_callback_usual: true });
  t.match(of('google'), {
    enabled: false,
    problem: null,
    client_id: null,
    callback_url: 'http://localhost:9999/callback',
  });
  t.notOk(answer.text.includes('the-secret-of-github'));
});

t.test('the set-up of a provider: what to do there, and its settings and no others', async (t) => {
  const console = await openTestConsole(t, {
    EXTERNAL_LINKEDIN_OIDC_CLIENT_ID: 'our-client',
    EXTERNAL_LINKEDIN_OIDC_SECRET: 'the-secret-of-linkedin',
    EXTERNAL_CUSTOM_OUR_LOGIN_ISSUER: 'https://login.example.com',
    EXTERNAL_CUSTOM_OUR_LOGIN_CLIENT_ID: 'our-client',
    EXTERNAL_CUSTOM_OUR_LOGIN_SECRET: 'the-secret-of-our-login',
  });
  const viewer = await console.signIn('viewer');
  const read = (name: string) => viewer.get(`/api/providers/${encodeURIComponent(name)}/setup`);
  const namesOf = (settings: readonly { name: string }[]) => settings.map(({ name }) => name);

  const { body, text } = await read('linkedin_oidc');
  t.match(body, { callback_url: 'http://localhost:9999/callback', register_at: /^https:/, steps: [String] });
  t.ok(namesOf(body.settings).includes('AUTH_EXTERNAL_LINKEDIN_OIDC_CLIENT_ID'));
  t.same(
    namesOf(body.settings).filter((name) => !name.startsWith('AUTH_EXTERNAL_LINKEDIN_OIDC_')),
    [],
  );
  t.notOk(text.includes('the-secret-of-linkedin'));
  const old = namesOf((await read('linkedin')).body.settings);
  t.same(
    old.filter((name) => name.includes('OIDC')),
    [],
  );
  t.ok(namesOf((await read('apple')).body.settings).includes('AUTH_EXTERNAL_APPLE_TEAM_ID'));

  const own = (await read('custom:our-login')).body.settings;
  t.match(
    own.find(({ name }: { name: string }) => name.endsWith('_ISSUER')),
    { name: 'AUTH_EXTERNAL_CUSTOM_OUR_LOGIN_ISSUER', text: 'https://login.example.com', stored: false, storable: true },
  );
  const fresh = (await read('custom:not-there')).body.settings;
  t.equal(fresh.length, own.length, 'one that is not there yet');
  t.match(fresh[0], { name: /^AUTH_EXTERNAL_CUSTOM_NOT_THERE_/, is_set: false, text: null, source: null });
  for (const name of ['nothing', 'custom:', 'custom:Not_There', 'custom:a--b', 'custom:-a']) {
    t.equal((await read(name)).status, 404, name);
  }
});
