/** A client signs up, and writes and reads rows under row-level security, through a gateway with a REST layer. */
import { AuthClient } from '@supabase/auth-js';
import { makeRequestRoles, readApplication } from '../support/app-schema.js';
import { dataOf } from '../support/client-data.js';
import { openRestLayer } from '../support/rest-layer.js';
import { freshEmail, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';

t.test('two users and a stranger', async (t) => {
  const server = await openTestServer(t, { DB_APP_SCHEMA: 'auth' }, makeRequestRoles);
  await server.database.admin.query(readApplication('starter'));
  await server.database.admin.query('grant all on public.profiles, public.objects to anon, authenticated');
  const gateway = await openRestLayer(t, server.url, server.database.url);
  const rest = async (method: string, path: string, bearer?: string, body?: object) => {
    const response = await fetch(`${gateway}/rest/v1/${path}`, {
      method,
      headers: bearer === undefined ? {} : { authorization: `Bearer ${bearer}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };
  const join = async (full_name: string) => {
    const client = new AuthClient({ url: `${gateway}/auth/v1`, autoRefreshToken: false, persistSession: false });
    const { user, session } = await dataOf(
      client.signUp({ email: freshEmail(), password, options: { data: { full_name } } }),
    );
    return { client, id: user!.id, token: session!.access_token };
  };
  const [ada, grace] = [await join('Ada'), await join('Grace')];
  t.match(await rest('GET', 'profiles', ada.token), { status: 200, body: [{ id: ada.id, full_name: 'Ada' }] });
  t.same((await rest('GET', `profiles?id=eq.${ada.id}`, grace.token)).body, []);
  t.same((await rest('GET', 'profiles')).body, []);

  t.match(await rest('POST', 'objects', ada.token, { name: 'a.png' }), { status: 201, body: [{ owner: ada.id }] });
  t.match(await rest('POST', 'objects', ada.token, { name: 'b.png', owner: grace.id }), {
    status: 403,
    body: { code: '42501' },
  });
  t.match(await rest('POST', 'objects', undefined, { name: 'c.png' }), { status: 403 });
  t.match((await rest('GET', 'objects', ada.token)).body, [{ name: 'a.png' }]);
  t.same((await rest('GET', 'objects', grace.token)).body, []);
  t.match(await rest('GET', 'objects', `${ada.token}x`), { status: 401 });

  await dataOf(ada.client.updateUser({ data: { full_name: 'Ada L.' } }));
  t.match((await rest('GET', 'profiles', ada.token)).body, [{ full_name: 'Ada L.' }]);
});
