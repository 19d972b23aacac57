import { t } from '../support/tap.js';
import { openTestEdge } from '../support/test-edge.js';

const server = await openTestEdge();
t.teardown(() => server.close());
const base = `http://127.0.0.1:${server.port}`;

t.test('a JSON endpoint returns its reply', async (t) => {
  const answer = await fetch(`${base}/echo?a=1&b=x+y&a=2`, { method: 'POST', body: '{"Email":"a@b","unknown":1}' });
  t.equal(answer.status, 200);
  t.equal(answer.headers.get('content-type'), 'application/json');
  t.match(await answer.json(), { query: { a: '1', b: 'x y' }, body: { email: 'a@b' }, path: '/echo' });
});

t.test('unknown paths and wrong methods', async (t) => {
  const unknown = await fetch(`${base}/nope`);
  t.equal(unknown.status, 404);
  t.equal(unknown.headers.get('x-sb-error-code'), 'not_found');
  t.match(await unknown.json(), { code: 404, error_code: 'not_found', msg: 'No such endpoint: GET /nope' });
  const wrong = await fetch(`${base}/user`, { method: 'POST' });
  t.equal(wrong.status, 405);
  t.equal(wrong.headers.get('allow'), 'GET, HEAD, PUT');
  t.equal((await fetch(`${base}/echo/`, { method: 'POST', body: '{}' })).status, 200, 'slash if the endpoint has it');
  t.equal((await fetch(`${base}/show/`)).status, 404, 'and nowhere else');
  t.equal((await fetch(`${base}/items/`)).status, 404, 'a parameter is never empty');
  t.equal((await fetch(`${base}/show`, { method: 'OPTIONS' })).status, 405, 'OPTIONS that is no preflight');
});

t.test('HEAD is answered as GET, without the body (RFC 9110 9.3.2)', async (t) => {
  const headers = { Origin: 'https://app.example', Connection: 'close' };
  const same = async (path: string, own: Record<string, string> = {}) => {
    const [head, get] = await Promise.all(
      ['HEAD', 'GET'].map((method) =>
        fetch(base + path, { method, redirect: 'manual', headers: { ...headers, 'X-Request-Id': 'a', ...own } }),
      ),
    );
    const [withoutBody, body] = [await head!.text(), await get!.text()];
    t.equal(withoutBody, '');
    const fields = (answer: Response) => [...answer.headers].filter(([name]) => name !== 'date').sort();
    t.equal(head!.status, get!.status, path);
    if (!body.includes('No such endpoint: GET')) {
      const [asked, got] = [fields(head!), fields(get!)];
      t.same(asked, path.startsWith('/redirect') ? got : asked.map(([name]) => [name, get!.headers.get(name)]), path);
      t.equal(asked.length, got.length);
    }
    return head!;
  };
  await same('/health');
  await same('/redirect?to=/x');
  await same('/user');
  await same('/user', { Authorization: 'Bearer good' });
  t.equal((await same('/items/a')).headers.get('access-control-allow-origin'), '*');
  t.equal((await same('/nowhere')).status, 404);

  const refused = await fetch(`${base}/once`, { method: 'HEAD' });
  t.equal(refused.status, 405);
  t.equal(refused.headers.get('allow'), 'GET');
  t.notOk(server.reached.includes('HEAD /once'));
  const preflight = { Origin: 'https://app.example', 'Access-Control-Request-Method': 'HEAD' };
  const allowed = await fetch(`${base}/user`, { method: 'OPTIONS', headers: preflight });
  t.equal(allowed.headers.get('access-control-allow-methods'), 'HEAD');
  t.equal(
    server.accessLog.find(({ path, method }) => path === '/items/a' && method === 'HEAD')?.route,
    '/items/{item_id}',
  );
});

t.test('path parameters are decoded once', async (t) => {
  t.match(await (await fetch(`${base}/items/a%20b`)).json(), { params: { item_id: 'a b' } });
});

t.test('the version of the newer error shape is echoed', async (t) => {
  const answer = await fetch(`${base}/nope`, { headers: { 'X-Supabase-Api-Version': '2024-06-01' } });
  t.equal(answer.headers.get('x-supabase-api-version'), '2024-01-01');
  t.same(await answer.json(), { code: 'not_found', message: 'No such endpoint: GET /nope' });
  const plain = await fetch(`${base}/show`, { headers: { 'X-Supabase-Api-Version': '2024-06-01' } });
  t.equal(plain.headers.get('x-supabase-api-version'), null, 'never on success');
});

t.test('callers', async (t) => {
  const none = await fetch(`${base}/user`);
  t.equal(none.status, 401);
  t.match(await none.json(), { error_code: 'no_authorization' });
  t.equal((await fetch(`${base}/user`, { headers: { Authorization: 'Bearer bad' } })).status, 403);
  const good = await fetch(`${base}/user`, { headers: { Authorization: 'Bearer good' } });
  t.match(await good.json(), { caller: { auth: 'user' } });
});

t.test('bodies', async (t) => {
  const send = async (body: string | undefined, method = 'POST', path = '/echo', type = 'application/json') => {
    const answer = await fetch(base + path, {
      method,
      headers: { 'Content-Type': type },
      ...(body === undefined ? {} : { body }),
    });
    return [answer.status, ((await answer.json()) as { msg?: string }).msg];
  };
  t.same(await send(undefined), [400, 'Could not parse request body as JSON: unexpected end of JSON input']);
  const plainCurl = await send('{"email":"a"}', 'POST', '/echo', 'application/x-www-form-urlencoded');
  t.equal(plainCurl[0], 200, 'JSON is parsed whatever the content type');
  t.same(await send('{"email":7}'), [400, 'Could not parse request body as JSON: field email must be of type string']);
  t.equal((await send('null'))[0], 200, 'null counts as an empty object');
  t.equal((await send(undefined, 'DELETE', '/items/1'))[0], 200, 'a body that may be left out');
  t.equal((await send('[', 'DELETE', '/items/1'))[0], 400, 'and is checked when it is there');
});
