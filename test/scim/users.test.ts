/** People: made, read, found, changed and ended by their identity provider. */

import { runCommand } from '../support/run-command.js';
import { ENTERPRISE, openScimServer, PATCH, type ScimCall, USER } from '../support/scim.js';
import { freshEmail, password, testEnvironment } from '../support/server.js';
import { type Test, t } from '../support/tap.js';

const server = await openScimServer(t);
const { database, join, refresh } = server;

let people = 0;
const person = (changes: Record<string, unknown> = {}) => {
  const userName = `person${people++}@corp.example`;
  return {
    schemas: [USER, ENTERPRISE],
    userName,
    externalId: `ext-${userName}`,
    name: { givenName: 'Ann', familyName: 'Lee' },
    displayName: 'Ann Lee',
    emails: [
      { value: `home-${userName}`, type: 'home' },
      { value: userName, type: 'work', primary: true },
    ],
    active: true,
    [ENTERPRISE]: { department: 'Sales', manager: { value: '26118915' } },
    ...changes,
  };
};
const patch = (...Operations: object[]) => ({ schemas: [PATCH], Operations });
const accountOf = async (id: string) => (await server.admin('GET', `/admin/users/${id}`)).body;
const errorOf = (t: Test, { status, body }: { status: number; body: Record<string, unknown> }, scimType?: string) => {
  t.same(body['schemas'], ['urn:ietf:params:scim:api:messages:2.0:Error']);
  t.equal(body['status'], String(status));
  t.equal(body['scimType'], scimType);
};
const make = async (scim: ScimCall, changes: Record<string, unknown> = {}) => {
  const { status, body } = await scim('POST', '/Users', person(changes));
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body;
};

t.test('made, read, replaced, deleted and made again', async (t) => {
  const { id: providerId, scim } = await server.addScimProvider();
  const sent = person();
  const made = await scim('POST', '/Users', { ...sent, password: 'never kept', groups: [], unknown: 1 });
  t.equal(made.status, 201, JSON.stringify(made.body));
  const { id, meta } = made.body;
  t.match(made.body, { ...sent, id, meta: { resourceType: 'User', version: 'W/"1"' } });
  t.notOk('password' in made.body || 'unknown' in made.body);
  t.equal(made.headers.get('location'), meta.location);
  t.equal(meta.location, `http://localhost:9999/scim/v2/Users/${id}`);
  t.equal(made.headers.get('etag'), 'W/"1"');
  t.equal(made.headers.get('content-type'), 'application/scim+json');
  const account = await accountOf(id);
  t.match(account, {
    email: sent.userName,
    app_metadata: { provider: `sso:${providerId}`, scim: { displayName: 'Ann Lee', name: { givenName: 'Ann' } } },
    user_metadata: { name: 'Ann Lee', email_verified: true },
  });
  t.ok(account.email_confirmed_at, 'the provider of the installation is trusted');
  t.same((await scim('GET', `/Users/${id}`)).body, made.body);
  errorOf(t, await scim('POST', '/Users', { ...sent, userName: sent.userName.toUpperCase() }), 'uniqueness');
  errorOf(t, await scim('POST', '/Users', person({ externalId: sent.externalId })), 'uniqueness');
  errorOf(t, await scim('POST', '/Users', person({ userName: undefined })), 'invalidValue');
  errorOf(t, await scim('POST', '/Users', person({ emails: [{ value: 'no address' }] })), 'invalidValue');
  const other = await server.addScimProvider();
  for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
    const body = method === 'PATCH' ? patch({ op: 'replace', path: 'active', value: false }) : sent;
    const answer = await other.scim(method, `/Users/${id}`, method === 'GET' ? undefined : body);
    t.equal(answer.status, 404, `${method} of another scope`);
    errorOf(t, answer);
  }
  t.equal((await other.scim('GET', '/Users')).body.totalResults, 0);
  t.equal((await other.scim('POST', '/Users', sent)).status, 201, 'names are apart');

  const { userName, schemas } = sent;
  const replaced = await scim('PUT', `/Users/${id}`, { schemas, id: 'other', userName, name: { formatted: 'A. Lee' } });
  t.match(replaced, { status: 200, body: { id, userName, active: true, name: { formatted: 'A. Lee' } } });
  t.notOk(
    'emails' in replaced.body || 'externalId' in replaced.body || ENTERPRISE in replaced.body,
    'absent is removed',
  );
  t.match(replaced.body.meta, { version: 'W/"2"', created: meta.created });
  t.match((await accountOf(id)).user_metadata, { name: 'A. Lee' });

  t.equal((await scim('DELETE', `/Users/${id}`)).status, 204);
  t.equal((await scim('GET', `/Users/${id}`)).status, 404);
  t.equal((await scim('DELETE', `/Users/${id}`)).status, 404);
  t.ok((await accountOf(id)).banned_until, 'kept, and banned');
  const again = await scim('POST', '/Users', sent);
  t.match(again, { status: 201, body: { id, externalId: sent.externalId } }, 'it comes back with its id');
  t.notOk((await accountOf(id)).banned_until);
});

t.test('removed, where the setting says so', async (t) => {
  const removing = await openScimServer(t, { SCIM_DELETE: 'remove' });
  const { scim } = await removing.addScimProvider();
  const { id } = await make(scim);
  t.equal((await scim('DELETE', `/Users/${id}`)).status, 204);
  t.equal((await removing.admin('GET', `/admin/users/${id}`)).status, 404);
});

t.test('kept for 30 days', async (t) => {
  const { id: scopeId, scim } = await server.addScimProvider();
  const [old, recent, lifted, joined] = [await make(scim), await make(scim), await make(scim), await make(scim)];
  for (const { id } of [old, recent, lifted, joined]) await scim('DELETE', `/Users/${id}`);
  await server.admin('PUT', `/admin/users/${lifted.id}`, { ban_duration: 'none' });
  await database.admin.query('update scim_users set owns_account = user_id <> $2 where scope_id = $1', [
    scopeId,
    joined.id,
  ]);
  await database.admin.query(
    "update scim_users set deleted_at = now() - interval '31 days' where scope_id = $1 and user_id <> $2",
    [scopeId, recent.id],
  );
  const folder = t.testdir({ 'empty.env': '' });
  const { code, out } = await runCommand(['prune', '--json'], testEnvironment(database.url), `${folder}/empty.env`);
  t.equal(code, 0);
  t.equal(JSON.parse(out).scim_users, 3);
  const statusOf = async ({ id }: { id: string }) => (await server.admin('GET', `/admin/users/${id}`)).status;
  t.equal(await statusOf(old), 404);
  t.equal(await statusOf(recent), 200);
  t.equal(await statusOf(lifted), 200, 'an operator keeps it');
  t.equal(await statusOf(joined), 200);
  t.notOk((await accountOf(joined.id)).banned_until, 'an account that was there before goes on');
});

t.test('versions', async (t) => {
  const { scim } = await server.addScimProvider();
  const { id } = await make(scim);
  const rename = patch({ op: 'replace', path: 'displayName', value: 'Other' });
  t.equal((await scim('GET', `/Users/${id}`, undefined, { 'if-none-match': 'W/"1"' })).status, 304);
  t.equal((await scim('PATCH', `/Users/${id}`, rename, { 'if-match': 'W/"7"' })).status, 412);
  t.equal((await scim('PATCH', `/Users/${id}`, rename, { 'if-match': 'W/"1"' })).status, 200);
  t.equal((await scim('GET', `/Users/${id}`, undefined, { 'if-none-match': 'W/"1"' })).status, 200);
  t.equal((await scim('DELETE', `/Users/${id}`, undefined, { 'if-match': 'W/"1"' })).status, 412);
  const same = await scim('PATCH', `/Users/${id}`, rename);
  t.equal(same.body.meta.version, 'W/"2"', 'what changes nothing makes no version');
  // Whoever is last wins, and no one gets a 5xx.
  const racing = await Promise.all(
    Array.from({ length: 6 }, (_, n) =>
      scim('PATCH', `/Users/${id}`, patch({ op: 'replace', path: 'title', value: `t${n}` })),
    ),
  );
  t.ok(racing.every(({ status }) => status === 200));
  t.equal((await scim('GET', `/Users/${id}`)).body.meta.version, 'W/"8"');
});

t.test('attributes and excludedAttributes', async (t) => {
  const { scim } = await server.addScimProvider();
  const { id, userName } = await make(scim);
  const get = async (query: string) => (await scim('GET', `/Users/${id}?${query}`)).body;
  t.same(Object.keys(await get('attributes=USERNAME')).sort(), ['id', 'schemas', 'userName']);
  t.same((await get('attributes=name.givenName,emails.type')).name, { givenName: 'Ann' });
  t.same((await get('attributes=emails.type')).emails, [{ type: 'home' }, { type: 'work' }]);
  t.same((await get(`attributes=${ENTERPRISE}:department`))[ENTERPRISE], { department: 'Sales' });
  const without = await get('excludedAttributes=name,emails.value,id,meta');
  t.notOk('name' in without || 'meta' in without);
  t.equal(without.id, id, 'always');
  t.same(without.emails, [{ type: 'home' }, { type: 'work', primary: true }]);
  const { body } = await scim(
    'PATCH',
    `/Users/${id}?attributes=userName`,
    patch({ op: 'add', path: 'title', value: 'x' }),
  );
  t.same(Object.keys(body).sort(), ['id', 'schemas', 'userName']);
  const list = await scim('GET', `/Users?attributes=${USER}:userName`);
  t.same(list.body.Resources, [{ schemas: [USER, ENTERPRISE], id, userName }]);
});

t.test('lists and filters', async (t) => {
  const { scim } = await server.addScimProvider();
  const all = [];
  for (let n = 0; n < 5; n++) {
    all.push(
      await make(scim, {
        title: `Title ${n}`,
        active: n !== 3,
        displayName: n === 4 ? 'Quote " \\ and .*' : `Name ${n}`,
        ...(n === 0 && { nickName: 'First' }),
        ...(n === 2 && { emails: [{ value: 'Odd@Other.example', type: 'other' }] }),
      }),
    );
  }
  const ids = all.map(({ id }) => id);
  const find = async (filter: string) => {
    const { status, body } = await scim('GET', `/Users?filter=${encodeURIComponent(filter)}`);
    if (status !== 200) return `${status} ${body.scimType}`;
    return body.Resources.map(({ id }: { id: string }) => ids.indexOf(id)).join('');
  };
  const [first, , third] = all;
  const cases: Record<string, string> = {
    [`userName eq "${first.userName.toUpperCase()}"`]: '0',
    [`username EQ "${first.userName}"`]: '0',
    'userName eq "nobody"': '',
    [`externalId eq "${first.externalId}"`]: '0',
    [`externalId eq "${first.externalId.toUpperCase()}"`]: '',
    [`id eq "${ids[1]}"`]: '1',
    'id eq "no id"': '',
    'emails[type eq "work"].value eq "odd@other.example"': '',
    'emails[type eq "other"].value eq "odd@other.example"': '2',
    'emails.value eq "odd@OTHER.example"': '2',
    'emails[type eq "other" and value sw "odd"]': '2',
    'emails co "other.example"': '2',
    [`${USER}:userName eq "${first.userName}"`]: '0',
    [`${ENTERPRISE}:department eq "sales"`]: '01234',
    [`${ENTERPRISE}:manager.value eq "26118915" and active eq false`]: '3',
    'active eq "True"': '0124',
    'active ne true': '3',
    'not (active eq true)': '3',
    'nickName pr': '0',
    'not (nickName pr)': '1234',
    'nickName eq null': '1234',
    'displayName co "Quote \\" \\\\"': '4',
    'displayName ew ".*"': '4',
    'displayName co ".*"': '4',
    'displayName sw "name" and title ew "1"': '1',
    'displayName sw "name" and (title ew "1" or title ew "2")': '12',
    'title ge "title 3"': '34',
    'title lt "Title 1"': '0',
    'name.givenName eq "ann" and title co "3"': '3',
    'meta.created gt "2011-05-13T04:42:34Z"': '01234',
    'meta.lastModified lt "2011-05-13T04:42:34+02:00"': '',
    'meta.resourceType eq "Group"': '',
    'meta.resourceType eq "User" and meta.resourceType pr': '01234',
    [`userName eq "${first.userName}" or emails.value eq "odd@other.example"`]: '02',
    [`userName eq "${third.userName}" and active eq false`]: '',
    [`(userName eq "${third.userName}")`]: '2',
  };
  for (const [filter, expected] of Object.entries(cases)) t.equal(await find(filter), expected, filter);
  const wrong = [
    'userName',
    'userName eq',
    'userName eq bjensen',
    'userName xx "a"',
    '(userName eq "a"',
    'userName eq "a" and',
    'nothing eq "a"',
    'password eq "a"',
    'name eq "a"',
    'active gt true',
    'active eq "maybe"',
    'meta.created gt "soon"',
    'userName eq 5',
    'emails[type eq "work"',
    'emails[nothing eq "work"]',
    'userName eq "a\\u0000"',
    'userName eq "\\ud800"',
    `${'('.repeat(33)}userName eq "a"${')'.repeat(33)}`,
    `${'not ('.repeat(10_000)}userName eq "a"${')'.repeat(10_000)}`.slice(0, 7000),
    `userName eq "${'x'.repeat(2048)}"`,
    "userName eq 'a' or 1=1",
    'userName eq "a"; drop table users',
  ];
  for (const filter of wrong) t.equal(await find(filter), '400 invalidFilter', filter.slice(0, 60));
  t.equal(await find(`${'('.repeat(31)}userName eq "a"${')'.repeat(31)}`), '');

  const page = async (query: string) => (await scim('GET', `/Users?${query}`)).body;
  t.match(await page(''), { totalResults: 5, startIndex: 1, itemsPerPage: 5 });
  t.match(await page('startIndex=4&count=5'), { totalResults: 5, startIndex: 4, itemsPerPage: 2 });
  t.match(await page('startIndex=-3&count=1'), { startIndex: 1, Resources: [{ id: ids[0] }] });
  t.match(await page('count=0'), { totalResults: 5, itemsPerPage: 0, Resources: [] });
  t.match(await page('count=-1'), { totalResults: 5, itemsPerPage: 0 });
  t.match(await page('startIndex=99'), { totalResults: 5, itemsPerPage: 0 });
  errorOf(t, await scim('GET', '/Users?count=many'), 'invalidValue');
  for (const filter of ['', 'title pr', 'title sw "Title"', ids.map((id) => `id eq "${id}"`).join(' or ')]) {
    const seen: string[] = [];
    let cursor: string | undefined = '';
    while (cursor !== undefined) {
      const body: Record<string, unknown> = await page(`count=2&cursor=${cursor}&filter=${encodeURIComponent(filter)}`);
      t.notOk('startIndex' in body);
      t.equal(body['totalResults'], 5);
      seen.push(...(body['Resources'] as { id: string }[]).map(({ id }) => id));
      cursor = body['nextCursor'] as string | undefined;
    }
    t.same(seen, ids, `by cursor: ${filter}`);
  }
  errorOf(t, await scim('GET', '/Users?cursor=abc'), 'invalidCursor');
  const search = await scim('POST', '/Users' + '/.search', {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'],
    filter: 'title pr',
    startIndex: 2,
    count: 2,
    attributes: ['title'],
  });
  t.match(search, { status: 200, body: { totalResults: 5, startIndex: 2, Resources: [{ title: 'Title 1' }, {}] } });
  t.notOk('userName' in search.body.Resources[0]);
});

t.test('a person who is not active', async (t) => {
  const owner = await join();
  const { id: organizationId, scim } = await server.addScimOrganization(owner, 'inactive.example');
  const email = `ann-${people++}@inactive.example`;
  const { body } = await server.post('/signup', { email, password });
  const ann = { id: body.user.id, email, access: body.access_token, refresh: body.refresh_token };
  await database.admin.query('update users set proven_email = email where id = $1', [ann.id]);
  const made = await make(scim, { userName: email, emails: [{ value: email }] });
  t.equal(made.id, ann.id, 'the account with the proven address joins');
  const { rows: members } = await database.admin.query(
    'select via, roles from organization_members where organization_id = $1 and user_id = $2',
    [organizationId, ann.id],
  );
  t.same(members, [{ via: 'scim', roles: ['member'] }]);
  const claims = await refresh(ann);
  t.match(claims, { email, app_metadata: { scim: { displayName: 'Ann Lee' } } });

  const off = patch({ op: 'Replace', value: { active: 'False' } });
  t.match(await scim('PATCH', `/Users/${ann.id}`, off), { status: 200, body: { active: false } });
  const refused = await server.post('/token?grant_type=refresh_token', { refresh_token: ann.refresh });
  t.equal(refused.status, 400, 'the next refresh');
  const signIn = () => server.post('/token?grant_type=password', { email, password });
  t.match(await signIn(), { status: 400, body: { error_code: 'user_banned' } });
  t.match(await server.as(ann, 'GET', '/user'), { status: 403, body: { error_code: 'user_banned' } });

  // An operator bans, too: that stays.
  await server.admin('PUT', `/admin/users/${ann.id}`, { ban_duration: '1h' });
  const on = patch({ op: 'replace', path: 'active', value: true });
  t.equal((await scim('PATCH', `/Users/${ann.id}`, on)).body.active, true);
  t.match(await signIn(), { body: { error_code: 'user_banned' } });
  const until = new Date((await accountOf(ann.id)).banned_until).getTime();
  t.ok(until < Date.now() + 3_700_000, 'no longer than the operator said');
  await scim('PATCH', `/Users/${ann.id}`, off);
  await scim('PATCH', `/Users/${ann.id}`, on);
  t.match(await signIn(), { body: { error_code: 'user_banned' } }, 'one that was there before comes back');
  await server.admin('PUT', `/admin/users/${ann.id}`, { ban_duration: 'none' });
  t.equal((await signIn()).status, 200);
  await scim('PATCH', `/Users/${ann.id}`, off);
  await server.admin('PUT', `/admin/users/${ann.id}`, { ban_duration: 'none' });
  t.equal((await signIn()).status, 200, 'an operator lifts both');
  await scim('PATCH', `/Users/${ann.id}`, on);
  t.equal((await signIn()).status, 200);

  t.equal((await scim('DELETE', `/Users/${ann.id}`)).status, 204);
  const { rows: left } = await database.admin.query('select from organization_members where user_id = $1', [ann.id]);
  t.equal(left.length, 0, 'no member any more');
  t.match(await signIn(), { body: { error_code: 'user_banned' } });
});

t.test('whose account it is', async (t) => {
  const owner = await join();
  const { scim } = await server.addScimOrganization(owner, 'whose.example');
  const unproven = `unproven-${people++}@whose.example`;
  const outside = freshEmail();
  for (const email of [unproven, outside]) await server.post('/signup', { email, password });
  await database.admin.query('update users set proven_email = null where email = $1', [unproven]);
  await database.admin.query('update users set proven_email = email where email = $1', [outside]);
  for (const email of [unproven, outside]) {
    const made = await make(scim, { userName: email, emails: [{ value: email }] });
    const { rows } = await database.admin.query(
      'select is_sso_user, email_confirmed_at is not null as confirmed from users where id = $1',
      [made.id],
    );
    t.same(rows, [{ is_sso_user: true, confirmed: email === unproven }], `${email} gets an account apart`);
  }
});

t.test('owners', async (t) => {
  const owner = await join();
  const { id: organizationId, scim } = await server.addScimOrganization(owner, 'owners.example');
  const email = `owner-${people++}@owners.example`;
  const { body } = await server.post('/signup', { email, password });
  await database.admin.query('update users set proven_email = email where id = $1', [body.user.id]);
  const { id } = await make(scim, { userName: email, emails: [{ value: email }] });
  await database.admin.query("update organization_members set roles = '{owner}' where user_id = $1", [id]);
  await database.admin.query("update organization_members set roles = '{admin}' where user_id = $1", [owner.id]);
  const off = patch({ op: 'replace', path: 'active', value: false });
  errorOf(t, await scim('PATCH', `/Users/${id}`, off));
  t.equal((await scim('PATCH', `/Users/${id}`, off)).status, 409, 'the last owner');
  t.equal((await scim('DELETE', `/Users/${id}`)).status, 409);
  const path = `/organizations/${organizationId}/scim_tokens`;
  const { body: weak } = await server.as(await refreshed(owner), 'POST', path, {});
  await database.admin.query("update organization_members set roles = '{owner}' where user_id = $1", [owner.id]);
  t.equal((await server.with(weak.token)('PATCH', `/Users/${id}`, off)).status, 403, 'a token of one who is no owner');
  t.equal((await scim('PATCH', `/Users/${id}`, off)).status, 200);
});

async function refreshed(person: Parameters<typeof refresh>[0]) {
  await refresh(person);
  return person;
}

t.test('who may call', async (t) => {
  const { id, token, scim } = await server.addScimProvider();
  // No use is noted from before a token was made.
  await database.admin.query("update scim_tokens set created_at = now() - interval '1 day' where scope_id = $1", [id]);
  await make(scim);
  const challenge = (answer: { status: number; headers: Headers; body: Record<string, unknown> }) => {
    t.equal(answer.status, 401);
    t.equal(answer.headers.get('www-authenticate'), 'Bearer');
    errorOf(t, answer);
  };
  for (const wrong of [undefined, 'lks_', `lks_${'a'.repeat(43)}`, `${token}x`, owner().access]) {
    challenge(await server.with(wrong)('GET', '/Users'));
  }
  const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });
  const call = (headers: Record<string, string>) => server.call('GET', '/scim/v2/Users', { headers });
  t.equal((await call(basic(`any:${token}`))).status, 200);
  challenge(await call(basic(`${token}:`)));
  const { rows } = await database.admin.query('select last_used_at from scim_tokens t where t.scope_id = $1', [id]);
  t.match(new Date(rows[0].last_used_at).toISOString(), /:00:00\.000Z$/, 'to the hour');
  await database.admin.query("update scim_tokens set expires_at = now() - interval '1 s' where scope_id = $1", [id]);
  challenge(await scim('GET', '/Users'));
  const narrow = await openScimServer(t, { RATE_LIMIT_SCIM: '2' });
  const { scim: limited } = await narrow.addScimProvider();
  const answers = await Promise.all([1, 2, 3].map(() => limited('GET', '/Users')));
  const rejected = answers.find(({ status }) => status === 429)!;
  t.ok(Number(rejected.headers.get('retry-after')) >= 1);
  errorOf(t, rejected);
  const cross = await server.call('OPTIONS', '/scim/v2/Users', {
    headers: { origin: 'https://elsewhere.example', 'access-control-request-method': 'GET' },
  });
  t.equal(cross.headers.get('access-control-allow-origin'), null);
});

const owner = () => ({ access: 'eyJhbGciOiJIUzI1NiJ9.e30.x' });
