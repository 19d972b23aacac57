/** An operator follows one sign-in at a provider, hop by hop; nobody else is followed, and no secret is kept. */
import t from 'tap';
import { credentialsOf } from '../support/fake-providers/index.js';
import { kindsOf, openTracedProviders, stepsOf } from '../support/provider-trace.js';

t.test('a new account, with plain OAuth: every hop is there, with its time', async (t) => {
  const { attempt, console, operator } = await openTracedProviders(t, ['github']);
  const { id, answer, trace } = await attempt('github');
  t.equal(answer.status, 302);
  t.match(answer.headers.get('location'), /#access_token=/);
  t.match(trace, { id, provider: 'github', is_dry: false, state: 'session', operator_name: 'grace@example.com' });
  t.same(kindsOf(trace), [
    'authorize',
    'callback',
    'token',
    'profile_call',
    'profile_call',
    'profile',
    'decision',
    'end',
  ]);
  t.ok(trace.steps.every(({ is_ok }: { is_ok: boolean }) => is_ok));
  const [departure] = stepsOf(trace, 'authorize');
  t.match(departure.detail, { uses_pkce: true, sent_to: /\/github\/login\/oauth\/authorize$/ });
  t.match(departure.detail.sent, [{ name: 'client_id', value: credentialsOf('github').id }]);
  t.match(stepsOf(trace, 'callback')[0].detail, { state: 'ours' });
  const [token] = stepsOf(trace, 'token');
  t.match(token.detail, { status: 200, client_authentication: 'basic', sends_verifier: true });
  t.match(token.detail.members, ['access_token']);
  t.ok(token.ms > 0);
  t.match(stepsOf(trace, 'decision')[0], { detail: { rule: 'address_new', kind: 'create' }, says: /new account/ });
  const { rows } = await console.database.admin.query('select id from users');
  t.equal(stepsOf(trace, 'end')[0].detail.user_id, rows[0].id);

  const { rows: audit } = await console.database.admin.query(
    "select payload from audit_log where payload ->> 'action' = 'provider_trace_opened'",
  );
  t.match(audit, [
    {
      payload: {
        actor_id: operator.operatorId,
        actor_username: 'grace@example.com',
        traits: { provider: 'github', trace_id: id, dry: false },
      },
    },
  ]);
});
