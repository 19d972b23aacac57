/** What no identity provider should send: a SCIM error, and nothing is written. */
import { randomUUID } from 'node:crypto';
import { parseFilter } from '../../src/server/scim/filter-syntax.js';
import { chooseSeed, openRandom } from '../support/long-form.js';
import { GROUP, openScimServer, PATCH, USER } from '../support/scim.js';
import { t } from '../support/tap.js';

const server = await openScimServer(t);
const SCIM_ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';

t.test('bodies, patches and members', async (t) => {
  const { token, scim } = await server.addScimProvider();
  const { body: person } = await scim('POST', '/Users', { schemas: [USER], userName: 'ann', title: 'before' });
  const { body: group } = await scim('POST', '/Groups', { schemas: [GROUP], displayName: 'g' });
  const send = async (method: string, path: string, body: string) => {
    const answer = await fetch(`${server.url}/scim/v2${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json; charset=utf-8' },
      body,
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const place = `/Users/${person.id}`;
  const patch = (...Operations: unknown[]) => JSON.stringify({ schemas: [PATCH], Operations });
  const replace = { op: 'replace', path: 'title', value: 'after' };
  const user = (more: string) => `{"userName":"new","title":"x"${more}}`;
  const cases: [name: string, method: string, path: string, body: string, status: number, scimType?: string][] = [
    ['a person over 64 kB', 'POST', '/Users', user(`,"nickName":"${'x'.repeat(70_000)}"`), 413],
    ['a group over 1 MiB', 'POST', '/Groups', `{"displayName":"${'x'.repeat(1_100_000)}"}`, 413],
    ['no JSON', 'POST', '/Users', '{', 400, 'invalidSyntax'],
    ['nothing', 'POST', '/Users', '', 400, 'invalidSyntax'],
    ['a list', 'POST', '/Users', '[]', 400, 'invalidSyntax'],
    ['NUL', 'POST', '/Users', user(',"nickName":"a\\u0000b"'), 400, 'invalidSyntax'],
    ['a lone surrogate', 'POST', '/Users', user(',"nickName":"\\ud800"'), 400, 'invalidSyntax'],
    ['deep nesting', 'POST', '/Users', user(`,"name":${'['.repeat(40)}${']'.repeat(40)}`), 400, 'invalidSyntax'],
    ['a number for a text', 'POST', '/Users', user(',"nickName":5'), 400, 'invalidValue'],
    ['a text for an object', 'POST', '/Users', user(',"emails":5'), 400, 'invalidValue'],
    ['a list for one value', 'POST', '/Users', user(',"nickName":["a"]'), 400, 'invalidValue'],
    ['neither true nor false', 'POST', '/Users', user(',"active":"perhaps"'), 400, 'invalidValue'],
    [
      'two first choices',
      'POST',
      '/Users',
      user(',"emails":[{"value":"a@b.example","primary":true},{"value":"c@d.example","primary":true}]'),
      400,
      'invalidValue',
    ],
    ['a long name', 'POST', '/Users', `{"userName":"${'x'.repeat(256)}"}`, 400, 'invalidValue'],
    [
      'too much for a token',
      'POST',
      '/Users',
      user(
        `,"photos":[${Array.from({ length: 20 }, (_, n) => `{"value":"https://x.example/${n}${'y'.repeat(1500)}"}`)}]`,
      ),
      400,
      'invalidValue',
    ],
    ['5000 operations', 'PATCH', place, patch(...Array.from({ length: 5000 }, () => replace)), 413],
    [
      '5000 operations on a group',
      'PATCH',
      `/Groups/${group.id}`,
      patch(...Array.from({ length: 5000 }, () => ({ op: 'remove', path: 'members' }))),
      400,
      'tooMany',
    ],
    ['no operations', 'PATCH', place, patch(), 400, 'invalidSyntax'],
    ['an operation that is none', 'PATCH', place, patch(replace, 'x'), 400, 'invalidSyntax'],
    [
      'a later operation fails',
      'PATCH',
      place,
      patch(replace, { op: 'add', path: 'nothing', value: 1 }),
      400,
      'invalidPath',
    ],
    ['a path that is no text', 'PATCH', place, patch(replace, { op: 'add', path: {}, value: 1 }), 400, 'invalidPath'],
    [
      'a path that cannot be read',
      'PATCH',
      place,
      patch(replace, { op: 'add', path: 'emails[type eq', value: 1 }),
      400,
      'invalidPath',
    ],
    [
      '__proto__ as a path',
      'PATCH',
      place,
      patch(replace, { op: 'add', path: '__proto__.polluted', value: 1 }),
      400,
      'invalidPath',
    ],
    [
      'constructor as a path',
      'PATCH',
      place,
      patch(replace, { op: 'add', path: 'constructor', value: 1 }),
      400,
      'invalidPath',
    ],
    [
      'what can only be read',
      'PATCH',
      place,
      patch(replace, { op: 'replace', path: 'groups', value: [] }),
      400,
      'mutability',
    ],
    ['no name any more', 'PATCH', place, patch(replace, { op: 'remove', path: 'userName' }), 400, 'invalidValue'],
    [
      'no value that is meant',
      'PATCH',
      place,
      patch(replace, { op: 'replace', path: 'emails[value co "x"].type', value: 'work' }),
      400,
      'noTarget',
    ],
    [
      'a value without a path that is none',
      'PATCH',
      place,
      patch(replace, { op: 'add', value: [] }),
      400,
      'invalidValue',
    ],
    [
      'no such member',
      'PATCH',
      `/Groups/${group.id}`,
      patch({ op: 'add', path: 'members', value: [{ value: randomUUID() }] }),
      400,
      'invalidValue',
    ],
    [
      'many members that are none',
      'PUT',
      `/Groups/${group.id}`,
      JSON.stringify({ displayName: 'g', members: Array.from({ length: 10_000 }, () => ({ value: randomUUID() })) }),
      400,
      'invalidValue',
    ],
    ['an id that is none', 'GET', '/Users/%00', '', 404],
  ];
  for (const [name, method, path, body, status, scimType] of cases.filter(([, one]) => one !== 'GET')) {
    const answer = await send(method, path, body);
    t.equal(answer.status, status, `${name}: ${JSON.stringify(answer.body)}`);
    t.match(answer.body, { schemas: [SCIM_ERROR], status: String(status) }, name);
    if (scimType !== undefined) t.equal(answer.body['scimType'], scimType, name);
  }
  t.match((await scim('GET', place)).body, { title: 'before', meta: { version: 'W/"1"' } }, 'nothing was written');
  t.match((await scim('GET', `/Groups/${group.id}`)).body.meta, { version: 'W/"1"' });
  t.equal((await scim('GET', '/Users')).body.totalResults, 1);
  t.equal(({} as Record<string, unknown>)['polluted'], undefined);
  const odd = JSON.parse(
    '{"userName":"odd","__proto__":{"userName":"x","admin":true},"constructor":{},"toString":"x"}',
  );
  const made = await scim('POST', '/Users', odd);
  t.equal(made.status, 201, 'unknown attributes are ignored');
  t.same(Object.keys(made.body).sort(), ['active', 'id', 'meta', 'schemas', 'userName']);
  for (const [method, path] of [
    ['POST', '/Bulk'],
    ['GET', '/Me'],
    ['PATCH', '/Me'],
  ] as const) {
    t.match(
      await scim(method, path, method === 'GET' ? undefined : {}),
      { status: 501, body: { status: '501' } },
      path,
    );
  }
  t.match(await scim('GET', '/Nothing'), { status: 404, body: { schemas: [SCIM_ERROR], status: '404' } });
});

t.test('filters of any kind are read, or refused', async (t) => {
  const random = openRandom(chooseSeed(t), 1);
  const { scim } = await server.addScimProvider();
  const paths = [
    'userName',
    'emails',
    'name.givenName',
    'active',
    'meta.created',
    'emails[type eq "work"].value',
    'x',
    'id',
  ];
  const operators = ['eq', 'NE', 'co', 'sw', 'ew', 'gt', 'le', 'pr', 'like'];
  const values = ['"a"', '"\\""', '"%_.*\\\\"', 'true', 'null', '5', '"2026-01-01T00:00:00Z"', '"\u{1f600}é"', "'a'"];
  const noise = ['(', ')', '[', ']', '"', '\\', '$', '@', ' and ', ' not ', ';', '--', '?', '\u0001'];
  const make = (depth: number): string => {
    if (depth > 0 && random.oneIn(3))
      return `(${make(depth - 1)}) ${random.pick(['and', 'or', 'AND'])} ${make(depth - 1)}`;
    if (depth > 0 && random.oneIn(6)) return `not (${make(depth - 1)})`;
    const operator = random.pick(operators);
    return `${random.pick(paths)} ${operator}${operator === 'pr' ? '' : ` ${random.pick(values)}`}`;
  };
  const faults: string[] = [];
  let [read, refused] = [0, 0];
  for (let n = 0; n < 20_000; n++) {
    let text = make(4);
    if (random.oneIn(2)) {
      const at = random.int(text.length);
      text = text.slice(0, at) + random.pick(noise) + text.slice(at + random.int(3));
    }
    try {
      parseFilter(text);
      read++;
    } catch (error) {
      if ((error as { entry?: string }).entry !== 'scimFilterInvalid') faults.push(text);
      refused++;
    }
    if (n % 50 !== 0 || !text.isWellFormed()) continue;
    const { status } = await scim('GET', `/Users?filter=${encodeURIComponent(text)}`);
    if (status !== 200 && status !== 400) faults.push(`${status}: ${text}`);
  }
  t.same(faults, []);
  t.ok(read > 2000 && refused > 2000, `${read} read, ${refused} refused`);
});
