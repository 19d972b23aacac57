import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase } from '../support/database.js';
import { runCommand } from '../support/run-command.js';
import { testEnvironment } from '../support/server.js';
import { t } from '../support/tap.js';

t.test('latchkey prune deletes expired rows only', async (t) => {
  const { url, admin } = await createTestDatabase(t);
  const at = mkdtempSync(join(tmpdir(), 'latchkey-prune-'));
  t.teardown(() => rmSync(at, { recursive: true, force: true }));
  writeFileSync(join(at, 'empty.env'), '');
  const prune = async (settings: Record<string, string>, ...args: string[]) => {
    const environment = testEnvironment(url, settings);
    const outcome = await runCommand(['prune', '--json', ...args], environment, join(at, 'empty.env'));
    t.equal(outcome.code, 0, outcome.err);
    return JSON.parse(outcome.out);
  };
  const tables = [
    'users',
    'one_time_tokens',
    'flow_states',
    'sessions',
    'outbox',
    'rate_counters',
    'audit_log',
    'used_challenges',
    'oauth_revoked_tokens',
    'mfa_challenges',
    'mfa_factors',
    'browsers',
    'page_flows',
    'oauth_authorizations',
    'dpop_proofs',
    'saml_relay_states',
    'saml_assertions',
    'refusals',
    'provider_traces',
    'import_runs',
    'import_results',
  ];
  const left = async () => {
    const counts: Record<string, number> = {};
    for (const table of tables) counts[table] = (await admin.query(`select from ${table}`)).rowCount!;
    return counts;
  };
  // Of each table 2,100 old rows, more than two batches, and two recent ones.
  await admin.query(`
    insert into users (id, aud, email) select gen_random_uuid(), 'authenticated', 'u' || n || '@x.test'
      from generate_series(1, 5) n;
    insert into one_time_tokens (kind, recipient, sign_up, created_at)
      select 'sign_up', 'p' || n || '@x.test', '{}', now() - case when n <= 2100 then interval '25 hours' else '23 hours' end
      from generate_series(1, 2102) n;
    insert into one_time_tokens (kind, recipient, sign_up, created_at)
      values ('sign_up', '15550001', '{}', now() - interval '2 minutes'), ('sign_up', '15550002', '{}', now());
    insert into flow_states (authentication_method, created_at)
      select 'otp', now() - case when n <= 2100 then interval '49 hours' else '47 hours' end
      from generate_series(1, 2102) n;
    insert into sessions (user_id, revoked_at, not_after, created_at)
      select (select id from users limit 1), case when n <= 1100 then now() - interval '25 hours' end,
        case when n > 1100 and n <= 2100 then now() - interval '25 hours' end, now() - interval '30 days'
      from generate_series(1, 2101) n;
    insert into sessions (user_id, revoked_at) select id, now() - interval '23 hours' from users limit 1;
    insert into outbox (id, kind, recipient_hash, sealed, created_at)
      select gen_random_uuid(), 'recovery', n, 'x', now() - case when n <= 2100 then interval '97 hours' else '95 hours' end
      from generate_series(1, 2102) n;
    insert into rate_counters (name, key, level, updated_at)
      select 'x', n, 1, now() - case when n <= 2100 then interval '49 hours' else '47 hours' end
      from generate_series(1, 2102) n;
    insert into used_challenges (id, expires_at)
      select gen_random_uuid(), now() - case when n <= 2100 then interval '61 minutes' else interval '59 minutes' end
      from generate_series(1, 2102) n;
    insert into oauth_revoked_tokens (id, expires_at)
      select gen_random_uuid(), now() - case when n <= 2100 then interval '61 minutes' else interval '59 minutes' end
      from generate_series(1, 2102) n;
    insert into browsers (secret_hash, session_ids, used_at)
      select n, '{}', now() - case when n <= 2100 then interval '31 days' else '29 days' end
      from generate_series(1, 2102) n;
    insert into page_flows (id, kind, created_at)
      select gen_random_uuid(), 'account', now() - case when n <= 2100 then interval '25 hours' else '23 hours' end
      from generate_series(1, 2102) n;
    insert into oauth_clients (name, client_type, auth_method, redirect_uris, grant_types, registration)
      values ('', 'public', 'none', '{}', '{}', 'manual');
    insert into oauth_authorizations (id, client_id, redirect_uri, scope, scopes, created_at)
      select n, (select id from oauth_clients), '', '', '{}',
        now() - case when n <= 2100 then interval '76 minutes' else interval '74 minutes' end
      from generate_series(1, 2102) n;
    insert into dpop_proofs (id, expires_at)
      select decode(md5(n::text), 'hex'),
        now() - case when n <= 2100 then interval '61 seconds' else interval '40 seconds' end
      from generate_series(1, 2102) n;
    insert into saml_relay_states (id, provider_id, request_id, redirect_to, expires_at)
      select gen_random_uuid(), gen_random_uuid(), '', '',
        now() - case when n <= 2100 then interval '61 minutes' else interval '59 minutes' end
      from generate_series(1, 2102) n;
    insert into saml_assertions (id, expires_at)
      select decode(md5(n::text), 'hex'),
        now() - case when n <= 2100 then interval '61 minutes' else interval '59 minutes' end
      from generate_series(1, 2102) n;
    insert into refusals (created_at, request_id, method, status, error_code, error, steps, left_out)
      select now() - case when n <= 2100 then interval '169 hours' else interval '167 hours' end, n, 'GET', 404, '', '', '', 0
      from generate_series(1, 2102) n;
    insert into provider_traces (id, provider, is_dry, operator_name, created_at, expires_at)
      select gen_random_uuid(), 'github', true, 'ada', t.at, t.at
      from (select now() - case when n <= 2100 then interval '25 hours' else interval '23 hours' end as at
        from generate_series(1, 2102) n) t;
    insert into import_runs (operator_id, operator_name, file_name, file_bytes, fingerprint, layout, is_dry, place, counts, created_at)
      select gen_random_uuid(), 'ada', 'a.csv', 1, '', '{}', true, '{}', '{}',
        now() - case when n <= 2100 then interval '169 hours' else interval '167 hours' end
      from generate_series(1, 2102) n;
    insert into import_results (run_id, position, results) select id, 0, '[]' from import_runs;
    insert into audit_log (payload, created_at)
      select '{}', now() - case when n <= 2100 then interval '49 hours' else '47 hours' end
      from generate_series(1, 2102) n`);
  // 24 hours: challenges, and factors that were never verified.
  await admin.query(`
    insert into mfa_factors (user_id, kind, status, friendly_name, created_at)
      select (select id from users limit 1), 'totp', case when n = 6 then 'verified' else 'unverified' end, 'f' || n,
        now() - case when n <= 6 then interval '25 hours' else '23 hours' end
      from generate_series(1, 7) n;
    insert into mfa_challenges (factor_id, session_id, created_at)
      select (select id from mfa_factors where status = 'verified'), gen_random_uuid(),
        now() - case when n <= 2100 then interval '25 hours' else '23 hours' end
      from generate_series(1, 2101) n`);
  const before = await left();
  const expected = {
    one_time_tokens: 2101,
    flow_states: 2100,
    sessions: 2100,
    outbox: 2100,
    rate_counters: 2100,
    used_challenges: 2100,
    oauth_revoked_tokens: 2100,
    mfa_challenges: 2100,
    mfa_factors: 5,
    browsers: 2100,
    page_flows: 2100,
    oauth_authorizations: 2100,
    dpop_proofs: 2100,
    saml_relay_states: 2100,
    saml_assertions: 2100,
    refusals: 2100,
    provider_traces: 2100,
    import_runs: 2100,
  };

  const others = { audit_log: 0, events: 0, webhook_queues: 0, oauth_clients: 0, scim_users: 0, stats_daily: 0 };
  t.same(await prune({}, '--dry-run'), { dry_run: true, ...expected, ...others });
  t.same(await left(), before, 'a dry run changes nothing');
  t.same(await prune({}), { dry_run: false, ...expected, ...others });
  t.same(await left(), {
    users: 5,
    one_time_tokens: 3,
    flow_states: 2,
    sessions: 2,
    outbox: 2,
    rate_counters: 2,
    audit_log: 2102,
    used_challenges: 2,
    oauth_revoked_tokens: 2,
    mfa_challenges: 1,
    mfa_factors: 2,
    browsers: 2,
    page_flows: 2,
    oauth_authorizations: 2,
    dpop_proofs: 2,
    saml_relay_states: 2,
    saml_assertions: 2,
    refusals: 2,
    provider_traces: 2,
    import_runs: 2,
    import_results: 2,
  });
  const { rows } = await admin.query(
    'select jsonb_array_length(factors) as listed from users where factors is not null',
  );
  t.same(rows, [{ listed: 2 }], 'the account lists what is left');
  t.equal((await prune({}, '--audit', '48h', '--dry-run')).audit_log, 2100);
  t.equal((await prune({}, '--audit', '48h')).audit_log, 2100);
  t.equal((await prune({ SESSIONS_TIMEBOX: '240h' })).sessions, 1, 'one past the greatest age');
  t.equal((await left())['sessions'], 1);
  const outcome = await runCommand(['prune', '--audit', 'x'], testEnvironment(url), join(at, 'empty.env'));
  t.equal(outcome.code, 2);
  const words = await runCommand(['prune'], testEnvironment(url), join(at, 'empty.env'));
  t.match(words.out, /^Deleted:\n0 {2}codes/);
});

t.test('without a schema the error names the solution', async (t) => {
  const { url } = await createTestDatabase(t, { isEmpty: true });
  const at = mkdtempSync(join(tmpdir(), 'latchkey-prune-'));
  t.teardown(() => rmSync(at, { recursive: true, force: true }));
  writeFileSync(join(at, 'empty.env'), '');
  const outcome = await runCommand(['prune'], testEnvironment(url), join(at, 'empty.env'));
  t.match(outcome, { code: 1, err: /run latchkey migrate first/ });
});
