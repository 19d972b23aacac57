import { freshEmail, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';

t.test('POST /logout', async (t) => {
  const { call, post, database } = await openTestServer(t);

  async function signInThrice() {
    const email = freshEmail();
    const { body: first } = await post('/signup', { email, password });
    const { body: second } = await post('/token?grant_type=password', { email, password });
    const { body: third } = await post('/token?grant_type=password', { email, password });
    return [first, second, third];
  }
  async function refreshStatuses(sessions: { refresh_token: string }[]) {
    const answers = sessions.map(({ refresh_token }) => post('/token?grant_type=refresh_token', { refresh_token }));
    return (await Promise.all(answers)).map(({ status }) => status);
  }

  const scopes: [string, number[]][] = [
    ['', [400, 400, 400]],
    ['?scope=global', [400, 400, 400]],
    ['?scope=', [400, 400, 400]],
    ['?scope=local', [400, 200, 200]],
    ['?scope=others', [200, 400, 400]],
  ];
  for (const [query, expected] of scopes) {
    const sessions = await signInThrice();
    const answer = await call('POST', `/logout${query}`, { bearer: sessions[0].access_token });
    t.equal(answer.status, 204, query);
    t.equal(answer.body, undefined, 'no body');
    t.same(await refreshStatuses(sessions), expected, `refreshes after ${query || 'no scope'}`);
    const audit = await database.admin.query(
      `select payload from audit_log where payload ->> 'action' = 'logout' and payload ->> 'actor_id' = $1`,
      [sessions[0].user.id],
    );
    t.match(audit.rows, [{ payload: { log_type: 'account' } }]);
  }

  const [session] = await signInThrice();
  const odd = await call('POST', '/logout?scope=universe', { bearer: session.access_token });
  t.match(odd.body, { code: 400, error_code: 'validation_failed', msg: 'Unsupported logout scope "universe"' });
  t.equal((await call('POST', '/logout')).status, 401);
});
