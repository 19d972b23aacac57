/** What identity providers send at the edges: names beyond ASCII, too many values, parts of values. */

import { ENTERPRISE, GROUP, openScimServer, PATCH, type ScimCall, USER } from '../support/scim.js';
import { t } from '../support/tap.js';

const server = await openScimServer(t);
const patch = (...Operations: object[]) => ({ schemas: [PATCH], Operations });
const make = async (scim: ScimCall, changes: Record<string, unknown>) => {
  const { status, body } = await scim('POST', '/Users', {
    schemas: [USER, ENTERPRISE],
    name: { givenName: 'Ann', familyName: 'Lee' },
    [ENTERPRISE]: { manager: { value: '26118915' } },
    ...changes,
  });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body;
};

t.test('names beyond ASCII are found as they were written', async (t) => {
  const { scim } = await server.addScimProvider();
  for (const userName of ['İstanbul', 'ΟΔΟΣ', 'Ärger']) {
    const { id } = await make(scim, { userName });
    const found = await scim('GET', `/Users?filter=${encodeURIComponent(`userName eq "${userName}"`)}`);
    t.same(
      found.body.Resources.map((one: { id: string }) => one.id),
      [id],
      userName,
    );
    t.equal((await scim('POST', '/Users', { schemas: [USER], userName })).status, 409);
  }
  t.match(await scim('POST', '/Users', { schemas: [USER], userName: '   ' }), { status: 400 }, 'blanks are no name');
});

t.test('values of a person have a limit, however they come', async (t) => {
  const { scim } = await server.addScimProvider();
  const { id } = await make(scim, { userName: 'many' });
  const numbers = (from: number) => Array.from({ length: 150 }, (_, n) => ({ value: `+1${from + n}` }));
  const add = (from: number) => patch({ op: 'add', path: 'phoneNumbers', value: numbers(from) });
  t.equal((await scim('PATCH', `/Users/${id}`, add(1000))).status, 200);
  t.match(await scim('PATCH', `/Users/${id}`, add(2000)), { status: 400, body: { scimType: 'invalidValue' } });
  t.equal((await scim('GET', `/Users/${id}`)).body.phoneNumbers.length, 150);
  const long = { value: `${'字'.repeat(400)}@x.example` };
  const emails = patch({ op: 'add', path: 'emails', value: [long] });
  t.match(await scim('PATCH', `/Users/${id}`, emails), { status: 400, body: { scimType: 'invalidValue' } });
});

t.test('a patch takes what it does not name from nothing', async (t) => {
  const { scim } = await server.addScimProvider();
  const address = { type: 'work', formatted: '1 High Street' };
  const { id } = await make(scim, { userName: 'parts', addresses: [address] });
  const send = async (...operations: object[]) => (await scim('PATCH', `/Users/${id}`, patch(...operations))).body;
  for (const operation of [
    { op: 'add', path: 'name', value: {} },
    { op: 'add', value: { name: { unknown: 'x' } } },
    { op: 'add', path: `${ENTERPRISE}:manager`, value: { displayName: 'Boss' } },
    { op: 'add', path: 'addresses', value: [address] },
  ]) {
    t.match(await send(operation), {
      name: { givenName: 'Ann', familyName: 'Lee' },
      [ENTERPRISE]: { manager: { value: '26118915' } },
      addresses: Object.assign([address], { length: 1 }),
    });
  }
  t.notOk('addresses' in (await send({ op: 'remove', path: 'addresses', value: [address] })));
  t.match(await send({ op: 'add', path: 'phoneNumbers[type eq 5].value', value: '123' }), { scimType: 'invalidValue' });
  for (const filter of ['members pr', 'members.type eq "User"', 'members eq null', 'members[type eq "User"]']) {
    const refused = await scim('GET', `/Groups?filter=${encodeURIComponent(filter)}`);
    t.match(refused, { status: 400, body: { scimType: 'invalidFilter' } }, filter);
  }
  const found = await scim('GET', `/Users?filter=${encodeURIComponent('meta.version eq "1"')}`);
  t.match(found, { status: 400, body: { scimType: 'invalidFilter' } });
});

t.test('the entity tag of a person follows the groups that are shown', async (t) => {
  const { scim } = await server.addScimProvider();
  const { id } = await make(scim, { userName: 'tagged' });
  const read = (headers: Record<string, string> = {}) => scim('GET', `/Users/${id}`, undefined, headers);
  const before = (await read()).headers.get('etag')!;
  t.equal((await read({ 'if-none-match': before })).status, 304);
  const group = { schemas: [GROUP], displayName: 'tagged', members: [{ value: id }] };
  t.equal((await scim('POST', '/Groups', group)).status, 201);
  const after = await read({ 'if-none-match': before });
  t.equal(after.status, 200, 'the groups are news');
  t.equal(after.headers.get('etag'), after.body.meta.version);
  t.equal((await read({ 'if-none-match': after.headers.get('etag')! })).status, 304);
  const title = patch({ op: 'add', path: 'title', value: 'Head' });
  const write = (tag: string) => scim('PATCH', `/Users/${id}`, title, { 'if-match': tag });
  t.equal((await write('W/"7"')).status, 412);
  t.equal((await write(after.body.meta.version)).status, 200, 'what is kept has not changed');
  t.equal((await write(before)).status, 412, 'now it has');
});
