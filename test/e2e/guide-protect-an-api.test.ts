/** docs/guides/protect-an-api.md: each API lets in whom it should, and the same attacks fail at each. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { makeAttacks } from '../support/api-attacks.js';
import { apiExamples, type StartApi } from '../support/api-examples.js';
import { openApiIssuer, signWith } from '../support/api-issuer.js';
import { findProgram } from '../support/client-pools.js';
import { codeBlocksOf } from '../support/code-blocks.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { readPayload } from '../support/organizations.js';
import { call } from '../support/server.js';
import { onlyInFull, type Test, t, takesMinutesInFull } from '../support/tap.js';
import { until } from '../support/until.js';

onlyInFull('it installs and builds APIs of four languages, 60 s of processor time');
takesMinutesInFull('APIs in four languages');

const issuer = await openApiIssuer(t);
const permissions = { name: 'editor', permissions: ['documents:write'] };
await call(issuer.url, 'POST', '/admin/organization-roles', { bearer: issuer.adminToken, body: permissions });

/** The page of each that is not for Node. */
const pages: Readonly<Record<string, string>> = { FastAPI: 'python', 'net/http': 'go', 'Spring Boot': 'java' };

for (const [name, find] of Object.entries(apiExamples)) {
  t.test(name, { timeout: 600_000 }, async (t) => {
    const start = await find(t);
    if (typeof start === 'string') return skipHere(t, start);
    await testApi(t, start, `docs/guides/protect-an-api-${pages[name] ?? 'node'}.md`);
  });
}

async function testApi(t: Test, start: StartApi, page: string): Promise<void> {
  const { own, issuer: ISSUER } = issuer;
  const api = await start(t, { ISSUER });
  const ask = (bearer: string, method = 'GET', path = '/me') => call(api, method, path, { bearer });
  const user = await issuer.join();

  await t.test('a user', async (t) => {
    t.match(await ask(user.access), { status: 200, body: { id: user.id, aal: 'aal1', organization: null } });
  });

  await t.test('the requests of the page', async (t) => {
    if ((await findProgram('curl', '--version')) === null) return skipHere(t, missingProgram('curl', 'curl'));
    const requests = codeBlocksOf(page, 'sh').at(-1)!.replaceAll('http://localhost:4300', api);
    const script = requests.replace('http://localhost:8081', issuer.url);
    const { stdout } = await promisify(execFile)('sh', ['-ec', script], { env: { PATH: process.env['PATH'] } });
    const statuses = [...stdout.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => status);
    t.same(statuses, ['401', '200', '403'], stdout);
    t.match(stdout, /^\{"error":"token_missing"\}$.*^\{.*"aal":"aal1".*\}$.*^\{"error":"insufficient_aal"\}$/ms);
  });

  await t.test('attacks', async (t) => {
    const missing = await call(api, 'GET', '/me');
    t.match(missing, { status: 401, body: { error: 'token_missing' } });
    t.equal(missing.headers.get('www-authenticate'), 'Bearer');
    for (const { what, header, status, error } of await makeAttacks(issuer, user.access)) {
      const answer = await call(api, 'GET', '/me', { headers: { authorization: header } });
      t.match(answer, { status, body: { error } }, what);
      const challenge = answer.headers.get('www-authenticate');
      if (error === 'invalid_token') t.equal(challenge, 'Bearer error="invalid_token"', what);
    }
  });

  await t.test('a second factor', async (t) => {
    const person = await issuer.join();
    t.match(await ask(person.access, 'POST', '/payouts'), { status: 403, body: { error: 'insufficient_aal' } });
    await issuer.secure(person);
    t.match(await ask(person.access, 'POST', '/payouts'), { status: 201, body: { by: person.id } });
    const { aal: _, ...claims } = readPayload(person.access);
    const without = await signWith(own, claims);
    t.match(await ask(without, 'POST', '/payouts'), { status: 403, body: { error: 'insufficient_aal' } });
  });

  await t.test('organizations', async (t) => {
    const [owner, other] = [await issuer.join(), await issuer.join()];
    const [acme, umbrella] = [await issuer.found(owner), await issuer.found(other)];
    await Promise.all([issuer.activate(owner, acme), issuer.activate(other, umbrella)]);
    const documents = `/organizations/${acme}/documents`;
    t.match(await ask(owner.access, 'GET', documents), { status: 200, body: [] });
    t.match(await ask(owner.access, 'POST', documents), { status: 201, body: { by: owner.id } });
    const refused = { status: 403, body: { error: 'other_organization' } };
    for (const method of ['GET', 'POST']) {
      t.match(await ask(other.access, method, documents), refused);
      t.match(await ask(user.access, method, documents), refused, 'no organization');
    }
    const { org_permissions: _, ...claims } = readPayload(owner.access);
    const without = await signWith(own, claims);
    t.match(await ask(without, 'GET', documents), { status: 200 });
    t.match(await ask(without, 'POST', documents), { status: 403, body: { error: 'permission_missing' } });
  });

  await t.test('revocation: the token goes on, except where Latchkey is asked', async (t) => {
    const person = await issuer.join();
    await issuer.secure(person);
    t.equal((await issuer.as(person, 'POST', '/logout')).status, 204);
    t.match(await ask(person.access), { status: 200 });
    t.match(await ask(person.access, 'POST', '/payouts'), { status: 401, body: { error: 'invalid_token' } });
  });

  await t.test('the key set: fetched seldom, a new key soon, and kept', async (t) => {
    const before = issuer.countFetches();
    await Promise.all(Array.from({ length: 30 }, () => ask(user.access)));
    t.equal(issuer.countFetches(), before, 'no fetch for a known key');
    const unknown = await issuer.addKey();
    const lost = { ...unknown, kid: 'lost' };
    const claims = readPayload(user.access);
    await Promise.all(Array.from({ length: 30 }, async () => ask(await signWith(lost, claims))));
    t.ok(issuer.countFetches() - before <= 2, 'keys that there are not lead to no flood');
    const token = await signWith(unknown, claims);
    await until(async () => (await ask(token)).status === 200);
    issuer.setKeysAway(true);
    t.match(await ask(token), { status: 200 });
    issuer.setKeysAway(false);
  });

  await t.test('no key set is no fault of the caller', async (t) => {
    issuer.setKeysAway(true);
    t.teardown(() => issuer.setKeysAway(false));
    const late = await start(t, { ISSUER });
    for (let times = 0; times < 4; times++) {
      const answer = await call(late, 'GET', '/me', { bearer: user.access });
      t.match(answer, { status: 503, body: { error: 'keys_unavailable' } });
      t.ok(answer.headers.has('retry-after'));
    }
    issuer.setKeysAway(false);
    await until(async () => (await call(late, 'GET', '/me', { bearer: user.access })).status === 200);
  });
}
