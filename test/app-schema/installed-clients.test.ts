/** `@supabase/supabase-js` and PostGraphile, installed from the registry, with an application's policies. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { decodeJwt } from 'jose';
import { makeRequestRoles, readApplication } from '../support/app-schema.js';
import { serveOnLoopback } from '../support/loopback-server.js';
import { skipHere } from '../support/not-here.js';
import { openRestLayer } from '../support/rest-layer.js';
import { freshEmail, JWT_SECRET, openTestServer, password } from '../support/server.js';
import { onlyInFull, type Test, t } from '../support/tap.js';
import { signTestToken } from '../support/tokens.js';

onlyInFull(
  'it installs two packages, 5 s of processor time; rest.test.ts serves the same with auth-js and a REST layer of its own',
);

const PACKAGES = ['@supabase/supabase-js@2.109.0', 'postgraphile@4.14.1'];
const UNREACHABLE = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ETIMEDOUT|E40[1347]|E5\d\d/;

/** @returns what loads the packages, or null without a registry */
async function install(t: Test): Promise<NodeJS.Require | null> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-clients-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'package.json'), '{}');
  const options = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
  try {
    await promisify(execFile)('npm', ['install', ...options, ...PACKAGES], { cwd: folder });
  } catch (error) {
    if (UNREACHABLE.test(String((error as { stderr?: string }).stderr))) return null;
    throw error;
  }
  return createRequire(join(folder, 'package.json'));
}

t.test('two users and a stranger', async (t) => {
  const load = await install(t);
  if (load === null) return skipHere(t, 'the registry of npm cannot be reached');
  const { url, database } = await openTestServer(t, { DB_APP_SCHEMA: 'auth' }, makeRequestRoles);
  await database.admin.query(readApplication('starter'));
  await database.admin.query('grant all on public.profiles, public.objects to anon, authenticated');
  const gateway = await openRestLayer(t, url, database.url);

  const { createClient } = load('@supabase/supabase-js');
  // Node 20 has no WebSocket, which only its subscriptions need.
  const options = { auth: { autoRefreshToken: false, persistSession: false }, realtime: { transport: class {} } };
  const anonymous = signTestToken({ role: 'anon' }, JWT_SECRET);
  const join = async (full_name: string) => {
    const client = createClient(gateway, anonymous, options);
    const { data, error } = await client.auth.signUp({
      email: freshEmail(),
      password,
      options: { data: { full_name } },
    });
    t.equal(error, null);
    return { client, id: data.user.id as string, token: data.session.access_token as string };
  };
  const [ada, grace] = [await join('Ada'), await join('Grace')];

  await t.test('supabase-js', async (t) => {
    t.match(await ada.client.from('objects').insert({ name: 'a.png' }).select(), {
      error: null,
      data: [{ owner: ada.id }],
    });
    t.match(await grace.client.from('objects').insert({ name: 'b.png', owner: ada.id }), { error: { code: '42501' } });
    t.match(await ada.client.from('objects').select(), { data: [{ name: 'a.png' }] });
    t.same((await grace.client.from('objects').select()).data, []);
    t.match(await ada.client.from('profiles').select('full_name').eq('id', ada.id), { data: [{ full_name: 'Ada' }] });
    const stranger = createClient(gateway, anonymous, options);
    t.same((await stranger.from('profiles').select()).data, []);
  });

  await t.test('PostGraphile', async (t) => {
    const { postgraphile } = load('postgraphile');
    // Verifying the token is the part of its host.
    const pgSettings = ({ headers }: { headers: Record<string, string | undefined> }) => {
      const token = headers['authorization']?.replace('Bearer ', '');
      const claims = token === undefined ? { role: 'anon' } : decodeJwt(token);
      return { role: claims['role'], 'request.jwt.claims': JSON.stringify(claims) };
    };
    const handler = postgraphile(database.url, 'public', { pgSettings, disableQueryLog: true });
    t.teardown(() => handler.release?.());
    const graphql = await serveOnLoopback(t, handler);
    const ask = async (query: string, token?: string) => {
      const response = await fetch(`${graphql}/graphql`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify({ query }),
      });
      return (await response.json()) as { data?: unknown; errors?: { message: string }[] };
    };
    const profiles = '{ allProfiles { nodes { fullName } } }';
    t.match(await ask(profiles, ada.token), { data: { allProfiles: { nodes: [{ fullName: 'Ada' }] } } });
    t.match(await ask(profiles, grace.token), { data: { allProfiles: { nodes: [{ fullName: 'Grace' }] } } });
    t.same((await ask(profiles)).data, { allProfiles: { nodes: [] } });
    const make = 'mutation { createObject(input: { object: { name: "c.png" } }) { object { owner } } }';
    t.match(await ask(make, grace.token), { data: { createObject: { object: { owner: grace.id } } } });
    t.match(await ask(make), { errors: [{ message: /row-level security/ }] });
  });
});
