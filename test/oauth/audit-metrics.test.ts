/** What the audit log and the metrics say of clients. */

import { freePort } from '../support/free-port.js';
import {
  addClient,
  authorize,
  consent,
  oauthSettings,
  postForm,
  redeem,
  refresh,
  signUpPerson,
} from '../support/oauth-client.js';
import { openTestServer } from '../support/server.js';
import { t } from '../support/tap.js';

t.test('each step is in the audit log, with the client and without secrets, and is counted', async (t) => {
  const port = await freePort();
  const server = await openTestServer(
    t,
    oauthSettings({
      OAUTH_SERVER_CLIENT_CREDENTIALS_ENABLED: 'true',
      METRICS_ENABLED: 'true',
      METRICS_EXPORTER: 'prometheus',
      OTEL_EXPORTER_PROMETHEUS_HOST: '127.0.0.1',
      OTEL_EXPORTER_PROMETHEUS_PORT: String(port),
    }),
  );
  const [client, person] = [await addClient(server), await signUpPerson(server)];
  const ask = async (action: 'approve' | 'deny') => {
    const { location } = await authorize(server, { clientId: client.id });
    return consent(server, person, location, action);
  };
  await ask('deny');
  const code = (await ask('approve')).searchParams.get('code')!;
  const { body } = await redeem(server, client, code);
  const next = await refresh(server, client, body.refresh_token);
  await redeem(server, client, code);
  await refresh(server, client, next.body.refresh_token);
  const { location } = await authorize(server, { clientId: client.id, parameters: { prompt: 'consent' } });
  const again = (await consent(server, person, location)).searchParams.get('code')!;
  const { body: last } = await redeem(server, client, again);
  await postForm(server, '/oauth/revoke', { client_id: client.id, token: last.refresh_token });
  const machine = await addClient(server, {
    grant_types: ['client_credentials'],
    redirect_uris: undefined,
    token_endpoint_auth_method: 'client_secret_post',
  });
  const own = { client_id: machine.id, client_secret: machine.secret! };
  const { body: machineToken } = await postForm(server, '/oauth/token', { ...own, grant_type: 'client_credentials' });
  await postForm(server, '/oauth/token', { ...own, grant_type: 'password' });
  await postForm(server, '/oauth/token', { ...own, client_secret: 'wrong', grant_type: 'client_credentials' });

  const { rows } = await server.database.admin.query(
    "select payload from audit_log where payload ->> 'action' like 'oauth%' order by created_at, id",
  );
  const text = JSON.stringify(rows);
  const counts = new Map<string, number>();
  for (const { payload } of rows) counts.set(payload.action, (counts.get(payload.action) ?? 0) + 1);
  t.same(Object.fromEntries(counts), {
    oauth_client_registered: 2,
    oauth_denied: 1,
    oauth_authorized: 2,
    oauth_token_issued: 3,
    oauth_code_replayed: 1,
    oauth_revoked: 1,
  });
  for (const { payload } of rows) {
    t.ok([client.id, machine.id].includes(payload.traits.client_id), payload.action);
    if (!/registered/.test(payload.action) && payload.traits.client_id === client.id) {
      t.equal(payload.actor_id, person.id, payload.action);
    }
  }
  for (const secret of [
    code,
    again,
    body.access_token,
    last.refresh_token,
    machineToken.access_token,
    machine.secret!,
  ]) {
    t.notOk(text.includes(secret));
  }

  const page = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  for (const [grant, outcome, count] of [
    ['authorization_code', 'ok', 2],
    ['authorization_code', 'invalid_grant', 1],
    ['refresh_token', 'ok', 1],
    ['refresh_token', 'invalid_grant', 1],
    ['client_credentials', 'ok', 1],
    ['client_credentials', 'invalid_client', 1],
    ['other', 'unsupported_grant_type', 1],
  ] as const) {
    const line = new RegExp(`latchkey_oauth_tokens_total\\{grant="${grant}",outcome="${outcome}"[^}]*\\} ${count}\\n`);
    t.match(page, line, `${grant} ${outcome}`);
  }
  t.notMatch(page, client.id, 'no client is a label');
});
