/** Identity providers send several requests at once: the last one wins, and none fails in the server. */
import { GROUP, openScimServer, PATCH, type ScimCall, USER } from '../support/scim.js';
import type { Answer } from '../support/server.js';
import { type Test, t } from '../support/tap.js';

const server = await openScimServer(t);
const patch = (...Operations: object[]) => ({ schemas: [PATCH], Operations });
const statusesOf = (answers: readonly Answer[]) => [...new Set(answers.map(({ status }) => status))].sort();
const times = <Result>(count: number, work: (n: number) => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => work(n)));

async function assertConcurrent(t: Test, scim: ScimCall): Promise<void> {
  const made = await times(8, () => scim('POST', '/Users', { schemas: [USER], userName: 'one', externalId: 'one' }));
  t.same(statusesOf(made), [201, 409], 'one of them makes the person');
  t.equal(made.filter(({ status }) => status === 201).length, 1);
  const { id } = made.find(({ status }) => status === 201)!.body;

  const titles = await times(10, (n) =>
    scim('PATCH', `/Users/${id}`, patch({ op: 'replace', path: 'title', value: `title ${n}` })),
  );
  t.same(statusesOf(titles), [200]);
  const versions = titles.map(({ body }) => body.meta.version);
  t.equal(new Set(versions).size, 10, 'each is a version');
  const latest = titles.find(({ body }) => body.meta.version === (versions.toSorted(byNumber).at(-1) as string))!;
  const { body: now } = await scim('GET', `/Users/${id}`);
  t.equal(now.title, latest.body.title, 'the last one wins');
  const guarded = await times(6, (n) =>
    scim('PATCH', `/Users/${id}`, patch({ op: 'replace', path: 'title', value: `guarded ${n}` }), {
      'if-match': now.meta.version,
    }),
  );
  t.same(statusesOf(guarded), [200, 412], 'but with If-Match the first one');
  t.equal(guarded.filter(({ status }) => status === 200).length, 1);

  const people = await times(6, async (n) => {
    const { body } = await scim('POST', '/Users', { schemas: [USER], userName: `member ${n}` });
    return { value: body.id as string };
  });
  const groups = await times(3, async (n) => {
    const { body } = await scim('POST', '/Groups', { schemas: [GROUP], displayName: `group ${n}` });
    return body.id as string;
  });
  // The same people in another order, in several groups, while they are changed and ended themselves.
  const all = await times(24, (n) => {
    const order = n % 2 === 0 ? people : people.toReversed();
    const group = `/Groups/${groups[n % 3]}`;
    if (n % 4 === 3)
      return scim('PATCH', `/Users/${order[0]!.value}`, patch({ op: 'replace', value: { active: n % 8 < 4 } }));
    const op = n % 4 === 2 ? 'remove' : 'add';
    return scim('PATCH', group, patch({ op, path: 'members', value: order }));
  });
  t.same(statusesOf(all), [200, 204]);
  const gone = await times(4, () => scim('DELETE', `/Users/${people[0]!.value}`));
  t.same(statusesOf(gone), [204, 404]);
  t.equal(gone.filter(({ status }) => status === 204).length, 1);
}

const byNumber = (one: string, other: string): number =>
  Number(one.replace(/\D/g, '')) - Number(other.replace(/\D/g, ''));

t.test('through the token of a provider', async (t) => {
  const { scim } = await server.addScimProvider();
  await assertConcurrent(t, scim);
});

t.test('through the token of an organization', async (t) => {
  const { scim } = await server.addScimOrganization(await server.join(), 'concurrent.example');
  await assertConcurrent(t, scim);
});
