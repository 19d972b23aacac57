import bcrypt from 'bcryptjs';
import { adminToken } from './admin.js';
import { createTestDatabase } from './database.js';
import { type Launch, spawnServer } from './process.js';
import { call, freshEmail } from './server.js';
import type { Test } from './tap.js';
import { until } from './until.js';

/** Its last line is there long before. */
const STOP_MS = 60_000;

/**
 * Starts a server elsewhere, signs up, signs in, refreshes, reads the user, signs in with an imported hash, and ends the
 * server by SIGTERM.
 * @param engine the package that hashes passwords
 */
export async function checkMainFlows(t: Test, launch: Launch, engine: string, environment: Record<string, string>) {
  const { url: databaseUrl } = await createTestDatabase(t);
  const { url, lines, pid, exited } = await spawnServer(t, databaseUrl, {}, environment, launch);
  const post = async (path: string, body: object, bearer?: string) => {
    const answer = await call(url, 'POST', path, bearer === undefined ? { body } : { body, bearer });
    t.equal(answer.status, 200, path);
    return answer.body;
  };
  t.equal((await call(url, 'GET', '/health')).status, 200);
  const credentials = { email: freshEmail(), password: 'correct horse battery' };
  await post('/signup', credentials);
  const { refresh_token } = await post('/token?grant_type=password', credentials);
  const { access_token } = await post('/token?grant_type=refresh_token', { refresh_token });
  const { body } = await call(url, 'GET', '/user', { bearer: access_token });
  t.equal(body.email, credentials.email);
  const imported = { email: freshEmail(), password: 'imported' };
  const passwordHash = bcrypt.hashSync(imported.password, 4);
  await post('/admin/users', { email: imported.email, password_hash: passwordHash, email_confirm: true }, adminToken());
  await post('/token?grant_type=password', imported);
  // The whole group, as Ctrl-C does: npx ends itself without passing the signal on.
  process.kill(-pid, 'SIGTERM');
  const { code } = await exited;
  if (launch.command[0] !== 'npx') t.equal(code, 0, 'SIGTERM ends it in good order');
  // npx may write lines of its own, also after the last one of the server.
  const hasStopped = () => lines.some((line) => line.includes('"Stopped"'));
  const endMs = performance.now() + STOP_MS;
  await until(() => hasStopped() || performance.now() > endMs);
  t.ok(hasStopped(), lines.slice(-3).join('\n'));
  const entries = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
  t.match(entries[0], { msg: 'Starting', engine: /^uWebSockets\.js 20\./, node_version: /^\d+\./ });
  t.equal(entries.find(({ msg }) => msg === 'Password engine').engine, engine);
  return entries[0] as { engine: string; node_version: string };
}
