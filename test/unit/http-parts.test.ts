import { consoleEndpoints } from '../../src/server/console/endpoints/index.js';
import { endpoints } from '../../src/server/endpoints/index.js';
import { formatAddress, readClientIp } from '../../src/server/http/client-address.js';
import { BodyBudget } from '../../src/server/http/request-body.js';
import { createRouter } from '../../src/server/http/router.js';
import { compileBody } from '../../src/server/http/schema.js';
import type { Route } from '../../src/server/http/types.js';
import { exchangeRaw, requestText } from '../support/raw-socket.js';
import { t } from '../support/tap.js';
import { openTestEdge, testRoutes } from '../support/test-edge.js';

t.test('addresses are written as in RFC 5952, mapped ones as IPv4', async (t) => {
  const v6 = (text: string) =>
    formatAddress(Uint8Array.from(text.match(/../g)!.map((pair) => Number.parseInt(pair, 16))));
  t.equal(formatAddress(Uint8Array.of(192, 0, 2, 1)), '192.0.2.1');
  t.equal(v6('00000000000000000000ffffc0000201'), '192.0.2.1');
  t.equal(v6('00000000000000000000000000000001'), '::1');
  t.equal(v6('00000000000000000000000000000000'), '::');
  t.equal(v6('20010db8000000000000000000000001'), '2001:db8::1');
  t.equal(v6('20010db8000000010001000100010001'), '2001:db8:0:1:1:1:1:1');
  t.equal(v6('20010000000000010000000000000001'), '2001:0:0:1::1');
  t.equal(v6('20010db8000000000001000000000001'), '2001:db8::1:0:0:1', 'the first of two equal runs');
  t.equal(v6('fe800000000000000000000000000000'), 'fe80::');
  t.equal(v6('00100000000000100000000000000100'), '10:0:0:10::100');
  t.equal(formatAddress(new Uint8Array(0)), '');
});

t.test('the client is the first forwarded entry that is an address, else the socket', async (t) => {
  const read = (forwardedFor: string | undefined, socketAddress: string) =>
    readClientIp(forwardedFor, () => socketAddress);
  t.equal(read('203.0.113.9, 10.0.0.1', '127.0.0.1'), '203.0.113.9');
  t.equal(read('unknown, <b>, 2001:db8::1', '127.0.0.1'), '2001:db8::1');
  t.equal(read('203.0.113.9:80', '127.0.0.1'), '127.0.0.1');
  t.equal(read('fe80::1%eth0', '127.0.0.1'), 'fe80::1');
  t.equal(read('10.0.0.1%eth0, ::1%', '127.0.0.1'), '127.0.0.1');
  t.equal(read('', '127.0.0.1'), '127.0.0.1');
  t.equal(read(undefined, ''), null);
});

t.test('a table of routes with two rows for one place is refused at boot', async (t) => {
  const route: Route<unknown> = { method: 'GET', path: '/a', caller: 'none', handler: () => ({ status: 204 }) };
  t.throws(() => createRouter([route, route]), /Two routes for GET \/a/);
  const item = { ...route, path: '/a/{id}' };
  t.throws(() => createRouter([item, item]), /Two routes/);
  const { match } = createRouter([
    route,
    item,
    { ...route, path: '/a/fixed' },
    { ...item, method: 'PUT', path: '/a/{id}/b' },
  ]);
  t.match(match('/a/fixed'), { params: {}, allow: 'GET' }, 'a fixed path comes before a pattern');
  t.match(match('/a/7/b'), { params: { id: '7' }, allow: 'PUT' });
  t.equal(match('/a//b'), null);
});

t.test('body schemas', async (t) => {
  const read = compileBody({
    type: 'object',
    properties: {
      code: { type: 'string' },
      nested: { type: 'object', properties: { token: { type: ['string', 'null'] } } },
      scope: { enum: ['global', 'local'] },
    },
    required: ['code'],
  });
  t.same(read({ code: 'a', NESTED: { token: null }, x: 1 }), { code: 'a', nested: { token: null } });
  t.throws(() => read({}), { message: /field code is required/ });
  t.throws(() => read({ code: null }), { message: /field code is required/ });
  t.throws(() => read({ code: 'a', nested: { token: 1 } }), {
    message: /field nested\.token must be of type string or null/,
  });
  t.throws(() => read({ code: 'a', scope: 's3cret' }), { message: /field scope is not valid$/ });
  t.throws(() => read({ code: 1 }, 'badVerificationParams'), {
    message: /^Could not read verification params: field code/,
  });
  t.throws(() => compileBody({ type: 'object', properties: { a: { type: 'strnig' } } }), /type/);
});

t.test('the body schemas of all endpoints are valid: a server compiles one with the first body', async (t) => {
  const schemas = [...endpoints, ...consoleEndpoints].flatMap(({ body }) => (body === undefined ? [] : [body]));
  for (const schema of schemas) compileBody(schema);
  t.ok(schemas.length > 100, `${schemas.length} schemas`);
});

t.test('bodies in memory have a common bound', async (t) => {
  const budget = new BodyBudget();
  t.equal(budget.hold(64 * 1_048_576, null), true);
  t.equal(budget.hold(1, null), false);
  budget.free(1, null);
  t.equal(budget.hold(1, null), true);
});

t.test('a form body is read by the rules of a query, and only when it says it is a form', async (t) => {
  const server = await openTestEdge({
    routes: [
      ...testRoutes,
      {
        method: 'POST',
        path: '/form',
        caller: 'none',
        form: true,
        handler: (_context, request) => ({ status: 200, body: Object.fromEntries(request.form) }),
      },
    ],
  });
  t.teardown(() => server.close());
  const post = async (type: string, body: string) => {
    const answer = await exchangeRaw(
      server.port,
      requestText('POST', '/form', { headers: [`Content-Type: ${type}`], body }),
    );
    return [answer.status, JSON.parse(answer.body)];
  };
  const form = 'application/x-www-form-urlencoded';
  t.same(await post(form, 'code=a%2Bb&state=c+d'), [200, { code: 'a+b', state: 'c d' }]);
  t.same(await post(`${form}; charset=utf-8`, 'user=%7B%22n%22%3A%22%C3%A9%22%7D'), [200, { user: '{"n":"é"}' }]);
  t.match(await post(form, 'state=a&state=b'), [400, { msg: /state may be given only once/ }]);
  t.equal((await post(form, 'user=\0'))[0], 400, 'raw control bytes are rejected like encoded ones');
  t.same(await post('text/plain', 'code=a'), [200, {}]);
});

t.test('the access log has the fields that operators need, and no query', async (t) => {
  const server = await openTestEdge();
  t.teardown(() => server.close());
  await exchangeRaw(server.port, requestText('GET', '/items/a%20b?token=s3cret'));
  await exchangeRaw(server.port, requestText('GET', '/user?token=s3cret'));
  await exchangeRaw(server.port, requestText('GET', '/health'));
  t.match(server.accessLog, [
    {
      requestId: /^[0-9a-f-]{36}$/,
      method: 'GET',
      route: '/items/{item_id}',
      path: '/items/a%20b',
      status: 200,
      durationMs: Number,
      remoteAddress: '127.0.0.1',
      errorCode: undefined,
      cause: undefined,
    },
    { route: '/user', status: 401, errorCode: 'no_authorization' },
  ]);
  t.equal(server.accessLog.length, 2, 'health is quiet');
  t.notMatch(JSON.stringify(server.accessLog), /s3cret/);
});

t.test('the access log names the client address that a proxy reports', async (t) => {
  const server = await openTestEdge();
  t.teardown(() => server.close());
  for (const forwardedFor of ['203.0.113.9, 10.0.0.1', 'unknown, 2001:db8::1', 'evil"}\\', '']) {
    const headers = [`X-Forwarded-For: ${forwardedFor}`];
    await exchangeRaw(server.port, requestText('GET', '/show', { headers }));
  }
  await exchangeRaw(server.port, requestText('GET', '/user', { headers: ['X-Forwarded-For: 203.0.113.9'] }));
  t.same(
    server.accessLog.map(({ remoteAddress }) => remoteAddress),
    ['203.0.113.9', '2001:db8::1', '127.0.0.1', '127.0.0.1', '203.0.113.9'],
  );
});
