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
