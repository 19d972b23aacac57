/** docs/guides/postgres-policies.md and docs/guides/second-factors-for-some.md: their policies, with tokens of a real server. */
import { asAdmin } from '../support/admin.js';
import { asRequest, makeRequestRoles } from '../support/app-schema.js';
import { enrolTotp, openApp, verifyWith } from '../support/authenticator-app.js';
import { actWith, type Person, readPayload } from '../support/organizations.js';
import { openTestServer } from '../support/server.js';
import { readSource } from '../support/source-tree.js';
import { onlyInFull, t } from '../support/tap.js';

onlyInFull('it runs what pages show; app-schema and factors test what they rest on');

const blocks = [...readSource('docs/guides/postgres-policies.md').text.matchAll(/^```sql\n(.*?)^```/gms)];
const [notes, , unguarded] = blocks.map(([, block]) => block!) as [string, string, string];
const server = await openTestServer(t, { DB_APP_SCHEMA: 'auth' }, makeRequestRoles);
const { join, refresh } = actWith(server);
const admin = asAdmin(server);
const sql = server.database.admin;

/** Runs a statement with the token of a person, and keeps what it wrote unless it is refused. @returns the rows, or the code of the error */
async function ask(person: Pick<Person, 'access'> | null, statement: string, values: unknown[] = []) {
  const claims = person && readPayload(person.access);
  await sql.query('begin');
  try {
    await sql.query(`select set_config('role', $1, true)`, [claims?.['role'] ?? 'anon']);
    await sql.query(`select set_config('request.jwt.claims', $1, true)`, [JSON.stringify(claims ?? {})]);
    const { rows } = await sql.query(statement, values);
    await sql.query('commit');
    return rows;
  } catch (error) {
    await sql.query('rollback');
    return (error as { code: string }).code;
  }
}

t.test('notes: own ones, and public ones', async (t) => {
  await sql.query(notes);
  const [ada, grace] = [await join(), await join()];
  const read = 'select text from public.notes order by id';
  t.same(await ask(ada, `insert into public.notes (text) values ('mine') returning owner`), [{ owner: ada.id }]);
  await ask(ada, `insert into public.notes (text, is_public) values ('for all', true)`);
  t.same(await ask(ada, read), [{ text: 'mine' }, { text: 'for all' }]);
  t.same(await ask(grace, read), [{ text: 'for all' }]);
  t.same(await ask(null, read), [{ text: 'for all' }]);
  t.same(await ask(grace, `update public.notes set text = 'hers' returning id`), []);
  t.same(await ask(grace, 'delete from public.notes returning id'), []);
  t.equal(await ask(grace, 'insert into public.notes (owner, text) values ($1, $2)', [ada.id, 'forged']), '42501');
  t.equal(await ask(ada, 'update public.notes set owner = $1', [grace.id]), '42501');
  t.equal(await ask(null, `insert into public.notes (text) values ('nobody')`), '42501');
  const asAda = { sub: ada.id, role: 'authenticated' };
  t.equal((await asRequest(sql, 'authenticated', asAda, () => sql.query(read))).rows.length, 2, 'as in psql');
});

t.test('unguarded tables are found', async (t) => {
  t.same((await sql.query(unguarded)).rows, []);
  await sql.query('create table public.open (id int); grant select on public.open to anon, authenticated');
  t.same((await sql.query(unguarded)).rows, [{ unguarded: 'open' }]);
  await sql.query('drop table public.open');
});

t.test('second factors: for editors, for payouts, and for whom an administrator names', async (t) => {
  await sql.query(readSource('examples/second-factors-for-some/schema.sql').text);
  const [reader, editor] = [await join(), await join()];
  await admin('PUT', `/admin/users/${editor.id}`, { app_metadata: { roles: ['editor'] } });
  await refresh(editor);
  const write = `insert into public.articles (title) values ('News')`;
  const pay = 'insert into public.payouts (cents) values (100)';
  t.equal(await ask(editor, write), '42501', 'aal1');
  t.equal(await ask(editor, pay), '42501', 'aal1');
  await secure(editor);
  t.same(await ask(editor, write), []);
  t.same(await ask(editor, pay), []);
  const title = 'select title from public.articles';
  t.same(await ask(reader, title), [{ title: 'News' }], 'readers need none');
  t.equal((await ask(editor, 'select * from public.payouts')).length, 1);
  t.same(await ask(reader, 'select * from public.payouts'), []);
  await secure(reader);
  t.equal(await ask(reader, write), '42501', 'a second factor makes no editor');

  const named = await join();
  await admin('PUT', `/admin/users/${named.id}`, { app_metadata: { mfa_required: true } });
  t.match(await refresh(named), { role: 'mfa_pending', aal: 'aal1' });
  t.equal(await ask(named, title), '22023', 'Postgres has no such role');
  await secure(named);
  t.match(readPayload(named.access), { role: 'authenticated', aal: 'aal2' });
  t.same(await ask(named, title), [{ title: 'News' }]);
});

async function secure(person: Person): Promise<void> {
  const session = { access_token: person.access, refresh_token: person.refresh, user: {} };
  const { id, secret } = await enrolTotp(server, session);
  const { body } = await verifyWith(server, session, id, openApp(secret).nextCode());
  person.access = body.access_token;
  person.refresh = body.refresh_token;
}
