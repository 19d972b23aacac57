import { randomUUID } from 'node:crypto';
import { endpoints } from '../../src/server/endpoints/index.js';
import { everyFeature } from '../support/every-feature.js';
import { sameInFull } from '../support/long-form.js';
import { cross, pickRows } from '../support/rows.js';
import { openTestServer } from '../support/server.js';
import { t } from '../support/tap.js';

/** The token of provisioning is no access token, and its errors are those of SCIM. */
const provisioning = endpoints.filter(({ caller }) => caller === 'scim');
const guarded = endpoints.filter(({ caller }) => caller === 'user' || caller === 'admin');
const open = endpoints.filter(({ caller }) => caller === 'none');
const first = ([value]: readonly unknown[]): unknown => value;
const second = ([, value]: readonly unknown[]): unknown => value;
const fill = (path: string): string => path.replaceAll(/\{[^}]+\}/g, () => randomUUID());

t.test('SEC-59: every endpoint that needs a caller rejects requests without a bearer', sameInFull, async (t) => {
  const { call } = await openTestServer(t, everyFeature);
  t.ok(guarded.length >= 3, 'there are such rows');
  for (const { method, path, trailingSlash } of guarded) {
    for (const url of [fill(path), ...(trailingSlash ? [`${fill(path)}/`] : []), `${fill(path)}?apikey=x`]) {
      const answer = await call(method, url);
      t.equal(answer.status, 401, `${method} ${url}`);
      t.match(answer.body, { code: 401, error_code: 'no_authorization' }, `${method} ${url}`);
    }
  }
});

t.test('SEC-59: nor does another kind of credential', async (t) => {
  const { call } = await openTestServer(t, everyFeature);
  const empty = ['', 'Bearer', 'Bearer ', 'Basic YW5uOnNlY3JldA==', 'Token abc', 'Bearer a b'];
  for (const [{ method, path }, authorization] of pickRows(cross(guarded, empty), [first, second])) {
    const answer = await call(method, fill(path), { headers: { authorization } });
    t.equal(answer.status, 401, `${method} ${path} with ${JSON.stringify(authorization)}`);
  }
  for (const { method, path, resourceErrors } of guarded) {
    const forged = await call(method, fill(path), { bearer: 'not.a.token' });
    const status = resourceErrors === true ? 401 : 403;
    t.match(forged, { status, body: { error_code: 'bad_jwt' } }, `${method} ${path} with a forged token`);
    const cookie = await call(method, fill(path), { headers: { cookie: 'access_token=x', apikey: 'x' } });
    t.equal(cookie.status, 401, `${method} ${path} with a cookie`);
  }
});

t.test('SEC-59: provisioning needs a token of its own', sameInFull, async (t) => {
  const { call } = await openTestServer(t, everyFeature);
  t.ok(provisioning.length >= 7, 'there are such rows');
  const wrong = [undefined, 'Bearer', 'Basic YW5uOnNlY3JldA==', 'Bearer not.a.token', `Bearer lks_${'a'.repeat(43)}`];
  for (const { method, path } of provisioning) {
    for (const authorization of wrong) {
      const answer = await call(method, fill(path), authorization === undefined ? {} : { headers: { authorization } });
      t.match(answer, { status: 401, body: { status: '401' } }, `${method} ${path} with ${authorization}`);
      t.equal(answer.headers.get('www-authenticate'), 'Bearer');
    }
  }
});

t.test('SEC-59: another spelling of the path bypasses nothing', async (t) => {
  const { call } = await openTestServer(t, everyFeature);
  const spellings: readonly ((path: string) => string)[] = [
    (path) => path.toUpperCase(),
    (path) => `/${path}`,
    (path) => `${path.slice(0, -1)}%${path.charCodeAt(path.length - 1).toString(16)}`,
    (path) => `${path}//`,
    (path) => `${path};x`,
    (path) => `/x/..%2f${path}`,
  ];
  for (const [{ method, path }, spell] of pickRows(cross(guarded, spellings), [first, second])) {
    const url = spell(fill(path));
    const { status } = await call(method, url);
    t.ok([400, 401, 404, 405].includes(status), `${method} ${url} is ${status}`);
  }
});

t.test('SEC-59: the other endpoints need no bearer, and ignore one', sameInFull, async (t) => {
  const { call } = await openTestServer(t, everyFeature);
  // There a client proves who it is (RFC 6749 3.2.1), or that it registered itself (RFC 7592 2).
  const asksClient = ['clientNotProven', 'registrationTokenMissing'];
  for (const { method, path } of open.filter(({ errors }) => !errors?.some((name) => asksClient.includes(name)))) {
    const body = method === 'GET' ? {} : { body: {} };
    for (const bearer of [undefined, 'not.a.token']) {
      const { status } = await call(method, fill(path), { ...body, bearer });
      t.notOk([401, 403].includes(status), `${method} ${path} is ${status}`);
    }
  }
});
