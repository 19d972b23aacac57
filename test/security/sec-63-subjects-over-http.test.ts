import { openExternalFlow } from '../support/external-flow.js';
import { freshEmail } from '../support/server.js';
import { t } from '../support/tap.js';

t.test('SEC-63: an ambiguous id is refused', async (t) => {
  const flow = await openExternalFlow(t, ['github', 'discord']);
  for (const name of ['github', 'discord'] as const) {
    for (const subject of ['', null, 0, -1, 1.5, {}, [], true, ' ', '\0', 'a\0b', 'x'.repeat(600)]) {
      const as = flow.providers.person(name, { email: freshEmail(), subject });
      const landing = await flow.signIn(name, { as });
      t.equal(landing.query.get('error'), 'server_error', `${name} ${JSON.stringify(subject)}`);
      t.notOk(landing.fragment.get('access_token'));
    }
    const as = flow.providers.person(name, { answers: { profile: {} } });
    t.equal((await flow.signIn(name, { as })).query.get('error'), 'server_error', `${name} {}`);
  }
  const { rows } = await flow.database.admin.query('select from users');
  t.equal(rows.length, 0);
});
