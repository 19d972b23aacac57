/** Notes on users and saved filters: who sees, writes and deletes them, and where they never are. */
import { randomUUID } from 'node:crypto';
import { openTestConsole } from '../support/console.js';
import { freshEmail, password } from '../support/server.js';
import { t } from '../support/tap.js';

t.test('notes on a user', async (t) => {
  const console = await openTestConsole(t);
  const email = freshEmail();
  const { body: session } = await console.post('/signup', { email, password });
  const { id } = session.user;
  const [viewer, ann, ben, admin] = await Promise.all([
    console.signIn('viewer', 'vic'),
    console.signIn('support', 'ann'),
    console.signIn('support', 'ben'),
    console.signIn('admin', 'ada'),
  ]);
  const path = `/api/users/${id}/notes`;
  t.match(await viewer.post(path, { body: 'x' }), { status: 403, body: { error_code: 'operator_role' } });
  const first = await ann.post(path, { body: '  called about a lost phone\nsecret-note-text ' });
  t.match(first, { status: 201, body: { operator_name: 'ann', body: 'called about a lost phone\nsecret-note-text' } });
  const second = await ben.post(path, { body: 'é'.repeat(2048) });
  t.equal(second.status, 201);
  for (const body of ['', '  \n', 'é'.repeat(2049)]) {
    t.match(await ann.post(path, { body }), { status: 422, body: { error_code: 'note_invalid' } });
  }
  t.match(await ann.post(path, { body: 'x'.repeat(4097) }), { status: 400 });
  t.match(await ann.post(`/api/users/${randomUUID()}/notes`, { body: 'x' }), { status: 404 });
  t.match(await viewer.get('/api/users/me/notes'), { status: 404 });
  t.same(
    (await viewer.get(path)).body.notes.map((note: { operator_name: string }) => note.operator_name),
    ['ben', 'ann'],
  );

  const own = await console.call('GET', '/user', { bearer: session.access_token });
  const token = Buffer.from(String(session.access_token).split('.')[1]!, 'base64url').toString();
  const shown = await viewer.get(`/api/users/${id}`);
  for (const text of [JSON.stringify(own.body), token, shown.text]) t.notMatch(text, /secret-note-text/);

  const remove = (browser: typeof ann, note: string) => browser.call('DELETE', `${path}/${note}`, { body: {} });
  t.match(await remove(ben, first.body.id), { status: 404 }, 'not that of another');
  t.match(await remove(viewer, first.body.id), { status: 403 });
  t.match(await remove(admin, first.body.id), { status: 204 });
  t.match(await remove(admin, first.body.id), { status: 404 });
  t.match(await remove(ben, second.body.id), { status: 204 });
  const { rows } = await console.database.admin.query(
    "select payload from audit_log where payload->>'action' like 'user_note%' order by created_at, id",
  );
  t.same(
    rows.map(({ payload }) => [payload.action, payload.actor_username]),
    [
      ['user_note_added', 'ann'],
      ['user_note_added', 'ben'],
      ['user_note_deleted', 'ada'],
      ['user_note_deleted', 'ben'],
    ],
  );
  t.ok(rows.every(({ payload }) => payload.traits.user_id === id));
  t.notMatch(JSON.stringify(rows), /secret-note-text/, 'the log stays when the user goes');

  await ann.post(path, { body: 'goes with the user' });
  const soft = await admin.call('DELETE', `/api/users/${id}`, { body: { typed: email, soft: true } });
  t.equal(soft.status, 204);
  t.same((await viewer.get(path)).body.notes, []);
  t.match(await ann.post(path, { body: 'x' }), { status: 404 }, 'nor is there a new one');
});

t.test('saved filters: own ones, and those that all see', async (t) => {
  const console = await openTestConsole(t);
  const [viewer, ann, owner] = await Promise.all([
    console.signIn('viewer', 'vic'),
    console.signIn('admin', 'ann'),
    console.signIn('owner', 'olga'),
  ]);
  const path = '/api/saved-filters';
  const banned = { name: ' Banned ', query: { banned: 'true', provider: '' } };
  t.match(await viewer.post(path, { ...banned, is_shared: true }), {
    status: 403,
    body: { error_code: 'operator_role' },
  });
  const own = await viewer.post(path, banned);
  t.equal(own.status, 201);
  t.match(await viewer.post(path, banned), { status: 409, body: { error_code: 'saved_filter_exists' } });
  const shared = await ann.post(path, {
    name: 'New',
    query: { created_from: '2026-01-01T00:00:00Z' },
    is_shared: true,
  });
  t.equal(shared.status, 201, 'names are those of an operator');
  for (const query of [{}, { banned: '' }, { cursor: 'x' }, { limit: '5' }, { q: 1 }, { q: 'x'.repeat(321) }]) {
    t.match(await viewer.post(path, { name: 'x', query }), { status: 422 }, JSON.stringify(query).slice(0, 40));
  }
  t.match(await viewer.post(path, { name: ' ', query: { q: 'x' } }), { status: 422 });
  t.match((await viewer.get(path)).body.filters, [
    { name: 'Banned', query: { banned: 'true' }, is_own: true, is_shared: false },
    { name: 'New', is_own: false, is_shared: true, operator_name: 'ann' },
  ]);
  t.match((await owner.get(path)).body.filters, [{ name: 'New' }], 'not those of the viewer');
  const remove = (browser: typeof ann, id: string) => browser.call('DELETE', `${path}/${id}`);
  t.match(await remove(viewer, shared.body.id), { status: 404 });
  t.match(await remove(owner, own.body.id), { status: 404 });
  t.match(await remove(owner, shared.body.id), { status: 204 });
  t.match(await remove(viewer, own.body.id), { status: 204 });
  t.match(await remove(viewer, 'nonsense'), { status: 404 });
  for (let n = 0; n < 50; n++) await ann.post(path, { name: `filter ${n}`, query: { q: `${n}` } });
  t.match(await ann.post(path, { name: 'one more', query: { q: 'x' } }), { status: 422, body: { msg: /50 at most/ } });
});
