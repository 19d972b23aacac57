/** The console answers its own pages only, and the API never answers a path of the console. */

import { NIL_UUID } from '../../src/db/uuid.js';
import { consoleEndpoints } from '../../src/server/console/endpoints/index.js';
import { endpoints } from '../../src/server/endpoints/index.js';
import { type OperatorRole, operatorRoles } from '../../src/server/http/types.js';
import { forgetStepUps, openTestConsole } from '../support/console.js';
import { ConsoleBrowser } from '../support/console-browser.js';
import { pickForm, sameInFull } from '../support/long-form.js';
import { oauthSettings } from '../support/oauth-client.js';
import { cross, pickRows } from '../support/rows.js';
import { t } from '../support/tap.js';

/** A feature that is off has no endpoints to call. */
const allFeatures = oauthSettings({ ORGANIZATIONS_ENABLED: 'true', SCIM_ENABLED: 'true' });
const fill = (path: string): string => path.replaceAll(/\{[^}]+\}/g, NIL_UUID);

t.test('SEC-98: neither port answers a path of the other', sameInFull, async (t) => {
  const console = await openTestConsole(t);
  const browser = await console.signIn('owner');
  t.ok(consoleEndpoints.length > 20);
  for (const { method, path } of consoleEndpoints) {
    const headers = { cookie: browser.cookie, 'x-latchkey-console': '1', origin: browser.origin };
    const { status } = await console.call(method, fill(path), { headers, ...(method !== 'GET' && { body: {} }) });
    t.equal(status, 404, `${method} ${path} on the port of the API`);
  }
  for (const { method, path } of endpoints) {
    const answer = await browser.call(method, fill(path));
    // Errors of SCIM have a form of their own.
    const code = path.startsWith('/scim/')
      ? { headers: { 'x-sb-error-code': 'not_found' } }
      : { body: { error_code: 'not_found' } };
    t.match(answer, { status: 404, ...code }, `${method} ${path} on the port of the console`);
  }
});

t.test('SEC-98: requests that no page of the console sends are refused', sameInFull, async (t) => {
  const console = await openTestConsole(t);
  const browser = await console.signIn('owner');
  const { consolePort } = console;
  const create = (headers: Record<string, string | null>) =>
    browser.call('POST', '/api/operators', { headers, body: { name: 'eve', role: 'owner' } });
  const cases: Record<string, Record<string, string | null>> = {
    'another site': { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    'another port of this host': { origin: 'http://localhost:8081', 'sec-fetch-site': 'same-site' },
    'a sandboxed frame': { origin: 'null', 'sec-fetch-site': 'cross-site' },
    'no origin': { origin: null },
    'a plain form': {
      'content-type': 'application/x-www-form-urlencoded',
      'x-latchkey-console': null,
      'sec-fetch-site': 'cross-site',
    },
    'a form with text/plain': { 'content-type': 'text/plain', 'x-latchkey-console': null },
    'without the header': { 'x-latchkey-console': null },
    'without Sec-Fetch-Site': { 'sec-fetch-site': null },
    'without a content type': { 'content-type': null },
  };
  for (const [name, headers] of Object.entries(cases)) {
    t.match(await create(headers), { status: 403, body: { error_code: 'console_origin' } }, name);
  }
  for (const host of [`127.0.0.1:${consolePort}`, 'evil.example', `localhost:${consolePort + 1}`, 'localhost']) {
    t.match(await create({ host }), { status: 421, body: { error_code: 'console_host' } }, `Host ${host}`);
    t.match(await browser.get('/api/me', { host }), { status: 421 }, `GET with Host ${host}`);
  }
  for (const site of ['cross-site', 'same-site']) {
    t.match(await browser.get('/api/me', { 'sec-fetch-site': site }), { status: 403 }, `GET, ${site}`);
  }
  t.match((await browser.get('/api/operators')).body.operators, [{ name: 'owner' }], 'nothing was created');
  t.equal((await create({})).status, 200, 'the same from a page of the console');
});

/** What reaches the console from a page that is not its own; the cookie comes along where a browser sends it. */
const FROM_ELSEWHERE: Readonly<Record<string, Readonly<Record<string, string | null>>>> = {
  'another site': { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
  'another port of this host': { origin: 'http://localhost:8081', 'sec-fetch-site': 'same-site' },
  'an older browser, another site': { origin: 'https://evil.example', 'sec-fetch-site': null },
  'a plain form of another site': {
    origin: 'https://evil.example',
    'sec-fetch-site': 'cross-site',
    'content-type': 'application/x-www-form-urlencoded',
    'x-latchkey-console': null,
  },
  'a plain form of another port': {
    origin: 'http://localhost:8081',
    'sec-fetch-site': 'same-site',
    'content-type': 'text/plain',
    'x-latchkey-console': null,
  },
  'a plain form of the console itself': {
    'content-type': 'application/x-www-form-urlencoded',
    'x-latchkey-console': null,
  },
};

t.test(
  'SEC-98: every endpoint that changes something refuses requests from elsewhere, whoever is signed in',
  async (t) => {
    const console = await openTestConsole(t, allFeatures);
    const browser = await console.signIn('owner');
    const entries = async () =>
      (await console.database.admin.query('select count(*)::int as n from audit_log')).rows[0].n;
    const before = await entries();
    const changing = consoleEndpoints.filter(({ method }) => method !== 'GET');
    t.ok(changing.length > 12, `${changing.length} of ${consoleEndpoints.length}`);
    const columns = [([endpoint]: readonly unknown[]) => endpoint, ([, from]: readonly unknown[]) => from];
    const posts = pickRows(cross(changing, Object.entries(FROM_ELSEWHERE)), columns);
    for (const [{ method, path }, [name, headers]] of posts) {
      const answer = await browser.call(method, fill(path), { headers, body: {} });
      t.match(answer, { status: 403, body: { error_code: 'console_origin' } }, `${method} ${path}, ${name}`);
    }
    const reading = consoleEndpoints.filter(({ method }) => method === 'GET');
    for (const [{ path }, site] of pickRows(cross(reading, ['cross-site', 'same-site']), columns)) {
      const { status } = await browser.get(fill(path), { origin: null, 'sec-fetch-site': site });
      t.equal(status, 403, `GET ${path}, ${site}`);
    }
    t.equal(await entries(), before, 'nothing was done');
    t.equal((await browser.get('/api/me')).status, 200, 'nor was anyone signed out');
  },
);

t.test(
  'SEC-98: no endpoint has an answer that another origin may read, in a preflight neither',
  sameInFull,
  async (t) => {
    const console = await openTestConsole(t, allFeatures);
    const browser = await console.signIn('owner');
    const origin = 'https://evil.example';
    for (const { method, path } of consoleEndpoints) {
      const preflight = {
        origin,
        'sec-fetch-site': 'cross-site',
        'access-control-request-method': method,
        'access-control-request-headers': 'x-latchkey-console, content-type',
      };
      for (const answer of [
        await browser.call('OPTIONS', fill(path), { headers: preflight }),
        await browser.call(method, fill(path), { headers: { origin }, ...(method !== 'GET' && { body: {} }) }),
      ]) {
        const allowing = Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'));
        t.same(allowing, [], `${method} ${path}: ${answer.status}`);
        t.equal(answer.headers['cross-origin-resource-policy'], 'same-origin');
      }
    }
  },
);

t.test('SEC-98: no answer lets another origin read it', sameInFull, async (t) => {
  const console = await openTestConsole(t);
  const browser = await console.signIn('owner');
  const headers = {
    origin: 'https://evil.example',
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'x-latchkey-console, content-type',
  };
  const answers = [
    await browser.get('/api/me', { origin: 'https://evil.example' }),
    await browser.get('/api/nothing'),
    await browser.call('OPTIONS', '/api/operators', { headers }),
    await browser.call('DELETE', '/api/me/session', { headers: { origin: 'https://evil.example' } }),
    await browser.call('PATCH', '/api/me'),
  ];
  t.same(
    answers.map(({ status }) => status),
    [200, 404, 204, 403, 405],
  );
  for (const { headers } of answers) {
    t.same(
      Object.keys(headers).filter((name) => name.startsWith('access-control-')),
      [],
    );
    t.match(headers['content-security-policy'], /^default-src 'none'; script-src 'self'; .*trusted-types 'none'$/);
    t.equal(headers['cross-origin-resource-policy'], 'same-origin');
    t.equal(headers['x-frame-options'], 'DENY');
    t.equal(headers['referrer-policy'], 'no-referrer');
    t.equal(headers['cache-control'], 'no-store');
  }
});

t.test('SEC-98: each endpoint admits the roles that its definition names, and no others', async (t) => {
  const console = await openTestConsole(t, allFeatures);
  const guarded = consoleEndpoints.filter(({ caller }) => caller !== 'none');
  t.ok(guarded.every(({ role }) => role !== undefined));
  const stranger = new ConsoleBrowser(console.consolePort);
  const rankOf = (role: OperatorRole): number => operatorRoles.indexOf(role);
  // npm test has the lowest role that is admitted and the one below it, which is where a definition may be wrong.
  const farthest = pickForm({ short: 1, full: operatorRoles.length });
  for (const role of operatorRoles) {
    let browser = await console.signIn(role, role);
    const near = guarded.filter((endpoint) => {
      const above = rankOf(role) - rankOf(endpoint.role!);
      return above < farthest && above >= -farthest;
    });
    t.ok(near.length > 0, `${role}: ${near.length} endpoints`);
    for (const endpoint of near) {
      // After the sign-out of an endpoint before.
      if (browser.cookie === '') browser = await console.signIn(role, `${role}-again`);
      const what = `${role}: ${endpoint.method} ${endpoint.path}`;
      const path = fill(endpoint.path);
      const isAdmitted = rankOf(role) >= rankOf(endpoint.role!);
      if (endpoint.needsStepUp) {
        await forgetStepUps(console);
        const code = isAdmitted ? 'operator_step_up' : 'operator_role';
        t.match(await browser.call(endpoint.method, path), { status: 403, body: { error_code: code } }, what);
        await console.database.admin.query('update operator_sessions set proven_at = now()');
      }
      const answer = await browser.call(endpoint.method, path, endpoint.method === 'GET' ? {} : { body: {} });
      const refused = ['operator_role', 'operator_step_up', 'operator_signed_out'].includes(answer.body?.error_code);
      t.equal(refused, !isAdmitted, `${what} is ${answer.status}`);
      if (!isAdmitted) t.match(answer, { status: 403, body: { error_code: 'operator_role' } }, what);
      t.not(answer.status, 500, what);
      if (role === 'viewer') t.equal((await stranger.call(endpoint.method, path)).status, 401, `nobody: ${what}`);
    }
  }
});
