import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { launcher } from '../support/binary.js';
import { pickForm, reportProgress } from '../support/long-form.js';
import { openMoving } from '../support/moving.js';
import { addPeerClient } from '../support/peer-oauth.js';
import { testEnvironment } from '../support/server.js';
import { onlyInFull, t } from '../support/tap.js';

onlyInFull(
  'three processes that are killed while they move users; that a move loses nothing: moving-twice, moving-verify',
);

const ROWS = pickForm({ short: 4000, long: 100_000 });
const SAMPLE = 20;

t.test(`${ROWS} users and sessions: progress, kill -9 in three stages, nothing lost or twice`, async (t) => {
  const { at, database, refresh, users } = await openMoving(t);
  const { admin } = database;
  await admin.query(
    `insert into auth.users (id, aud, role, email, email_confirmed_at, raw_app_meta_data, raw_user_meta_data, created_at,
       updated_at)
     select gen_random_uuid(), 'authenticated', 'authenticated', 'u' || n || '@example.com', now(),
       '{"provider":"email","providers":["email"]}', '{}', now(), now() from generate_series(1, $1::int) n`,
    [ROWS],
  );
  await addPeerClient(admin);
  await admin.query(`
    insert into auth.identities (provider_id, user_id, identity_data, provider, created_at, updated_at)
    select id::text, id, jsonb_build_object('sub', id, 'email', email), 'email', now(), now() from auth.users;
    insert into auth.oauth_consents (id, user_id, client_id, scopes)
    select gen_random_uuid(), u.id, c.id, 'openid email' from auth.users u, auth.oauth_clients c;
    insert into auth.sessions (id, user_id, created_at, updated_at, aal, user_agent, ip)
    select gen_random_uuid(), id, now(), now(), 'aal1', 'Browser/1.0', '203.0.113.7' from auth.users;
    insert into auth.mfa_amr_claims (session_id, created_at, updated_at, authentication_method, id)
    select id, now(), now(), 'password', gen_random_uuid() from auth.sessions;
    insert into auth.refresh_tokens (token, user_id, revoked, created_at, updated_at, parent, session_id)
    select substr(md5(id::text || n), 1, 12), user_id::text, n = 1, now(), now(),
      case when n = 2 then substr(md5(id::text || 1), 1, 12) else '' end, id
    from auth.sessions, generate_series(1, 2) n order by n;
    analyze auth.users; analyze auth.sessions; analyze auth.refresh_tokens; analyze auth.identities`);
  reportProgress('filled');

  const bookmark = join(at, 'kill.bookmark');
  const placeNow = (): { stage: string; line: number } =>
    existsSync(bookmark) ? JSON.parse(readFileSync(bookmark, 'utf8')) : { stage: '', line: 0 };
  let progress = '';
  const start = () => {
    const args = ['users', 'import', '--from-gotrue', 'env:PEER_URL', '--bookmark', bookmark, '--json'];
    const child = spawn(process.execPath, [launcher, ...args], {
      cwd: at,
      env: { PATH: process.env['PATH'] ?? '', ...testEnvironment(database.url), PEER_URL: database.url },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      progress += chunk.toString();
    });
    return { child, ended: once(child, 'exit').then(([code, signal]) => ({ code, signal, out })) };
  };

  const startMs = performance.now();
  for (const stage of ['accounts', 'consents', 'sessions']) {
    const { child, ended } = start();
    const isThere = () => placeNow().stage === stage && placeNow().line >= ROWS / 4;
    for (let patience = 0; !isThere() && child.exitCode === null && patience < 60_000; patience++) await pause(2);
    child.kill('SIGKILL');
    t.equal((await ended).signal, 'SIGKILL', `killed at ${placeNow().line} ${placeNow().stage}`);
    t.ok(placeNow().line < ROWS);
  }
  const { code, out } = await start().ended;
  const seconds = (performance.now() - startMs) / 1000;
  reportProgress(`${ROWS} accounts and sessions in ${seconds.toFixed(0)} s`);
  t.comment(`${ROWS} accounts and sessions in ${seconds.toFixed(1)} s, killed three times`);
  t.equal(code, 0, progress);
  t.match(progress, /Going on after \d+ accounts/);
  t.match(progress, /Going on after \d+ consents/);
  t.match(progress, /Going on after \d+ sessions/);
  const report = JSON.parse(out);
  for (const stage of ['accounts', 'consents', 'sessions']) {
    const { imported, skipped, ...others } = report[stage];
    t.equal(imported + skipped, ROWS, stage);
    t.ok(skipped <= 1000, 'at most the batch that was not yet noted comes again');
    t.same(others, { changed: 0, kept: 0, refused: 0, gone: 0 });
  }
  const { rows } = await admin.query(`
    select (select count(*) from users)::int as users, (select count(*) from identities)::int as identities,
      (select count(*) from sessions)::int as sessions, (select count(*) from moved_tokens)::int as tokens,
      (select count(*) from oauth_consents)::int as consents`);
  t.same(rows[0], { users: ROWS, identities: ROWS, sessions: ROWS, consents: ROWS, tokens: 2 * ROWS });
  t.notOk(existsSync(bookmark));
  t.match(await users('import', '--from-gotrue', 'env:PEER_URL', '--verify'), { code: 0, err: '' });
  const { rows: held } = await admin.query(
    'select token from auth.refresh_tokens where not revoked order by random() limit $1',
    [SAMPLE],
  );
  for (const { token } of held) t.equal((await refresh(token)).status, 200);
});
