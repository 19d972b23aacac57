import { endpoints } from '../../src/server/endpoints/index.js';
import { exchangeRaw, requestText } from '../support/raw-socket.js';
import { samlPrivateKey } from '../support/saml-keys.js';
import { openTestServer } from '../support/server.js';
import { t } from '../support/tap.js';
import { openTestEdge, type testRoutes } from '../support/test-edge.js';

const FORM = ['Content-Type: application/x-www-form-urlencoded'];
const LIMIT = 65_536;
const fields = (count: number): string => Array.from({ length: count }, (_, n) => `f${n}=${n}`).join('&');

/** What each endpoint lacks in a form of other fields. A SAML response may be longer, and is refused by redirects only. */
const wants: Readonly<Record<string, { status: number; text: RegExp }>> = {
  '/sso/saml/acs': { status: 303, text: /SAMLResponse\+is\+missing/ },
  '/sso/saml/slo': { status: 303, text: /SAMLRequest\+or\+SAMLResponse\+is\+missing/ },
  '/verify/confirm': { status: 400, text: /type/ },
  '/callback': { status: 303, text: /bad_oauth_callback/ },
};

t.test('SEC-87 four endpoints read forms, of 100 fields at most', async (t) => {
  const reading = endpoints.filter(({ form, errorPage }) => form === true && errorPage === undefined);
  t.same(
    reading.map(({ method, path }) => `${method} ${path}`),
    ['POST /sso/saml/acs', 'POST /sso/saml/slo', 'POST /verify/confirm', 'POST /callback'],
  );
  const { url } = await openTestServer(t, { SAML_ENABLED: 'true', SAML_PRIVATE_KEY: samlPrivateKey() });
  const port = Number(new URL(url).port);
  for (const { path, maxBodyBytes: limit = LIMIT } of reading) {
    t.equal(limit, path === '/sso/saml/acs' ? 4 * LIMIT : LIMIT, path);
    const post = async (body: string) => {
      const answer = await exchangeRaw(port, requestText('POST', path, { headers: FORM, body }));
      return { status: answer.status, text: answer.head + answer.body };
    };
    // Read, and found to lack what the route wants.
    const read = await post(fields(100));
    t.match(read, wants[path]!);
    t.match(await post(`a=${'x'.repeat(limit - 2)}`), { status: read.status }, `${limit} bytes`);
    const more = { status: 413, text: new RegExp(`max ${limit} bytes`) };
    t.match(await post(`a=${'x'.repeat(limit - 1)}`), more, 'one byte more');
    for (const body of [fields(101), '&'.repeat(100), '&'.repeat(LIMIT), 'a=%zz&'.repeat(LIMIT / 6)]) {
      const status = path.startsWith('/sso/') ? 303 : 400;
      t.match(await post(body), { status, text: /more.than.100.fields/ }, body.slice(0, 20));
    }
  }
});

t.test('SEC-87 the forms of pages have the same limits', async (t) => {
  const pages = endpoints.filter(({ form, errorPage }) => form === true && errorPage !== undefined);
  t.ok(pages.length >= 2);
  const { url } = await openTestServer(t, {
    PAGES_ENABLED: 'true',
    OAUTH_SERVER_ENABLED: 'true',
    OAUTH_SERVER_DEVICE_GRANT_ENABLED: 'true',
  });
  const port = Number(new URL(url).port);
  for (const { path, maxBodyBytes: limit = LIMIT } of pages) {
    const post = (body: string) => exchangeRaw(port, requestText('POST', path, { headers: FORM, body }));
    t.match(await post(fields(100)), { status: 403 }, `${path}: read, and found to come from elsewhere`);
    t.match(await post(`a=${'x'.repeat(limit - 1)}`), { status: 413 }, `${path}: over ${limit} bytes`);
    t.match(await post(fields(101)), { status: 400 });
  }
});

t.test('SEC-87 other endpoints read no forms', async (t) => {
  const handler: (typeof testRoutes)[number]['handler'] = (_context, request) => ({
    status: 200,
    body: Object.fromEntries(request.form),
  });
  const server = await openTestEdge({
    routes: [
      { method: 'POST', path: '/form', caller: 'none', form: true, handler },
      { method: 'POST', path: '/other', caller: 'none', handler },
    ],
  });
  t.teardown(() => server.close());
  const post = async (path: string) =>
    JSON.parse((await exchangeRaw(server.port, requestText('POST', path, { headers: FORM, body: 'a=b' }))).body);
  t.same(await post('/form'), { a: 'b' });
  t.same(await post('/other'), {});
});
