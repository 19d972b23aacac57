/** Files of accounts, imported through the console: tried, in pieces, continued, repeated, hostile. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { forgetStepUps, openTestConsole } from '../support/console.js';
import { fileOf, finishImport, readResults, sendPiece, startImport } from '../support/console-import.js';
import { pickForm } from '../support/long-form.js';
import { password } from '../support/server.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

const csvOf = (count: number, prefix: string): Buffer =>
  Buffer.from(
    `id,E-Mail,Name\n${Array.from({ length: count }, (_, n) => `${randomUUID()},${prefix}${n}@import.example,"N, ${n}"\n`).join('')}`,
  );

t.test('a file is looked at, tried, imported and repeated', async (t) => {
  const console = await openTestConsole(t);
  const browser = await console.signIn('admin', 'ann');
  const { admin } = console.database;
  const count = async (): Promise<number> => (await admin.query('select count(*)::int from users')).rows[0].count;
  await admin.query(
    "insert into users (id, aud, role, email) values (gen_random_uuid(), 'a', 'r', 'taken@import.example')",
  );
  const lines = [
    'E-Mail;Full name;=HYPERLINK("x");Verified;Role',
    'ann@import.example;"Ann; ""A"""; ;true;',
    'no address;Ben;not a time;maybe;',
    'TAKEN@import.example;Cat;;;',
    'ann@import.example;Ann again;;;',
    'dan@import.example;"Dan\r\nof two lines";2024-05-01T10:00:00Z;no;',
    'too;few',
    'eve@import.example;Eve;;;service_role',
    '',
    'fay@import.example;Fay;tomorrow;;editor',
  ];
  const bytes = Buffer.from(`\ufeff${lines.join('\r\n')}`);
  const preview = await browser.post('/api/imports/preview', fileOf('people.csv', bytes));
  t.match(preview, {
    status: 200,
    body: {
      format: 'csv',
      delimiter: 'semicolon',
      columns: ['E-Mail', 'Full name', '=HYPERLINK("x")', 'Verified', 'Role'],
      targets: ['email', 'user_metadata.full_name', null, 'email_confirmed', 'role'],
      sample: [['ann@import.example', 'Ann; "A"'], ['no address'], ['TAKEN@import.example']],
      unfinished: null,
    },
  });
  const targets = ['email', 'user_metadata.full_name', 'created_at', 'email_confirmed', 'role'];
  const tried = await startImport(browser, 'people.csv', bytes, { targets, is_dry: true });
  t.match(tried, { status: 201, body: { is_dry: true, is_own: true, operator_name: 'ann' } });
  const trial = await finishImport(browser, tried.body, bytes);
  t.match(trial.run, { counts: { imported: 2, skipped: 0, refused: 6 }, ended_at: String });
  t.equal(await count(), 1, 'nothing was stored');
  t.same((await admin.query('select 1 from import_keys')).rows, [], 'nor is what was compared');
  const text = await readResults(browser, tried.body.id);
  t.match(text, /^line,result,id,column,message\r\n/);
  t.match(text, /\r\n"2","refused",,"'=HYPERLINK\(""x""\)","created_at is not a time/, 'no formula');
  t.match(text, /\r\n"3","refused",,"Verified","email_confirmed is not true or false"\r\n/);
  t.match(text, /\r\n"4","refused",,"E-Mail","its email belongs to another account"\r\n/);
  t.match(text, /\r\n"8","refused",,,"it has 2 cells, and the first line names 5 columns"\r\n/);
  t.match(text, /\r\n"9","refused",,"Role","role is that of administrators/);
  t.match(text, /\r\n"11","refused",,"'=HYPERLINK/, 'an empty line counts');

  const good = Buffer.from(bytes.toString().replace('; ;true', ';;true').replace('tomorrow', ''));
  const again = await startImport(browser, 'people.csv', good, { targets, is_dry: true });
  const { refused: repeated } = await finishImport(browser, again.body, good);
  t.match(
    repeated.find((one) => (one as { line: number }).line === 5),
    { faults: [{ field: 'E-Mail', message: 'its email is in line 2, too' }] },
    'what an import would find once the first is stored',
  );

  const begun = await startImport(browser, 'people.csv', good, { targets, reason: 'the club moves in' });
  const done = await finishImport(browser, begun.body, good);
  t.match(done.run, { counts: { imported: 3, skipped: 0, refused: 5 } });
  t.equal(await count(), 4);
  const { rows } = await admin.query(
    "select role, user_metadata as data, email_confirmed_at is not null as is_confirmed from users where email in ('ann@import.example', 'dan@import.example', 'fay@import.example') order by email",
  );
  t.match(rows, [
    { data: { full_name: 'Ann; "A"' }, is_confirmed: true },
    { data: { full_name: 'Dan\r\nof two lines' }, is_confirmed: false },
    { role: 'editor' },
  ]);
  const audit = await admin.query(
    "select payload->>'action' as action, payload->'traits' as traits from audit_log where payload->>'action' like 'users_import%' order by created_at, id",
  );
  t.match(audit.rows, [
    { action: 'users_import_started', traits: { file_name: 'people.csv', reason: 'the club moves in' } },
    { action: 'users_imported', traits: { imported: 3, refused: 5 } },
  ]);
  const { run } = await finishImport(browser, (await startImport(browser, 'people.csv', good, { targets })).body, good);
  t.match(run.counts, { imported: 0, skipped: 3 }, 'a repeated import makes no doubles');
  t.equal(await count(), 4);
  const only = await readResults(browser, done.run.id, '&only=refused&format=ndjson');
  t.ok(
    only
      .trim()
      .split('\n')
      .every((line) => JSON.parse(line).result === 'refused'),
  );
  t.match((await browser.get('/api/imports')).body.imports.length, 4);
});

t.test('an import goes on where it stands, whatever was lost, and one tab at a time', async (t) => {
  const console = await openTestConsole(t);
  const browser = await console.signIn('admin', 'ann');
  const bytes = csvOf(pickForm({ short: 400, long: 5000 }), 'lost');
  const total = bytes.toString().split('\n').length - 2;
  const { body: begun } = await startImport(browser, 'lost.csv', bytes);
  const first = await sendPiece(browser, begun, bytes);
  t.match(first.body.run.counts, { imported: 125 });
  t.match(await sendPiece(browser, begun, bytes), { status: 409, body: { error_code: 'import_moved' } });
  const both = await Promise.all([1, 2, 3].map(() => sendPiece(browser, first.body.run, bytes)));
  t.same(both.map(({ status }) => status).sort(), [200, 409, 409], 'of three tabs one goes on');
  const { unfinished } = (await browser.post('/api/imports/preview', fileOf('other-name.csv', bytes))).body;
  t.match(unfinished, { id: begun.id, counts: { imported: 250 }, lines: 251 });
  const other = await console.signIn('admin', 'ben');
  t.match((await other.post('/api/imports/preview', fileOf('lost.csv', bytes))).body, { unfinished: null });
  t.match(await sendPiece(other, unfinished, bytes), { status: 403, body: { error_code: 'import_of_other' } });
  const longer = Buffer.concat([bytes, Buffer.from('x')]);
  t.match(await sendPiece(browser, unfinished, longer, longer.length), {
    status: 409,
    body: { error_code: 'import_file_changed' },
  });
  const { run } = await finishImport(browser, unfinished, bytes);
  t.match(run.counts, { imported: total, skipped: 0, refused: 0 });
  t.match(await sendPiece(browser, run, bytes), { status: 409 });
  t.equal((await readResults(browser, run.id)).split('"imported"').length - 1, total);
  t.match(await browser.get('/api/imports/nonsense'), { status: 404, body: { error_code: 'import_not_found' } });
});

t.test('where events are off, an import has the thread track nothing', async (t) => {
  const console = await openTestConsole(t);
  const browser = await console.signIn('admin');
  const bytes = csvOf(3, 'untracked');
  const { body } = await startImport(browser, 'untracked.csv', bytes);
  // Each run of a store makes Node follow all promises of the thread, for good.
  const runs = t.captureFn(AsyncLocalStorage.prototype.run);
  const { run } = AsyncLocalStorage.prototype;
  AsyncLocalStorage.prototype.run = runs as typeof run;
  t.teardown(() => {
    AsyncLocalStorage.prototype.run = run;
  });
  t.match((await finishImport(browser, body, bytes)).run.counts, { imported: 3 });
  t.same(
    runs.args().filter(([store]) => 'mute' in Object(store) || 'request_id' in Object(store)),
    [],
  );
});

t.test('moving in causes no events', async (t) => {
  const console = await openTestConsole(t, { OUTBOUND_PRIVATE_HOSTS: '127.0.0.1' });
  const browser = await console.signIn('admin');
  const webhook = await browser.post('/api/webhooks', { url: 'http://127.0.0.1:9/', events: ['user.*'] });
  t.equal(webhook.status, 201);
  const email = 'first@import.example';
  const types = async () => (await console.database.admin.query('select type from events order by sequence')).rows;
  await until(async () => {
    await console.post('/signup', { email, password });
    return (await types()).length > 0;
  });
  const before = await types();
  const bytes = csvOf(3, 'quiet');
  const { run } = await finishImport(browser, (await startImport(browser, 'quiet.csv', bytes)).body, bytes);
  t.match(run.counts, { imported: 3 });
  t.same(await types(), before);
});

t.test('rows that are no accounts: each is named, and the others are imported', async (t) => {
  const console = await openTestConsole(t);
  const browser = await console.signIn('owner');
  const long = `long@hostile.example,"${'x\n'.repeat(pickForm({ short: 400_000, long: 5_242_880 }))}"`;
  const rows: [row: string | Buffer, fault: RegExp | null][] = [
    ['one@hostile.example,plain', null],
    [Buffer.from('caf\xe9@hostile.example,x', 'latin1'), /is no UTF-8/],
    ['two@hostile.example,a\0b', /U\+0000/],
    ['three@hostile.example,"x"y', /text follows a quote/],
    [long, /the row is over 0.5 MiB/],
    ['four@hostile.example,=1+1', null],
    ['five@hostile.example,x,y', /it has 3 cells/],
    [`six@hostile.example,${'x'.repeat(70_000)}`, /user_metadata is over 64 kB/],
    ['seven@hostile.example,"not closed', /a quote is not closed/],
  ];
  const bytes = Buffer.concat([
    Buffer.from('email,name\n'),
    ...rows.flatMap(([row]) => [Buffer.from(row as string), Buffer.from('\n')]),
  ]);
  const { body: begun } = await startImport(browser, 'hostile.csv', bytes);
  const { run, refused } = await finishImport(browser, begun, bytes);
  t.match(run.counts, { imported: 2, skipped: 0, refused: 7 });
  t.match(
    refused,
    rows.flatMap(([, fault]) => (fault === null ? [] : [{ faults: [{ message: fault }] }])),
  );

  const json = Buffer.from(
    `${JSON.stringify({ email: 'json@hostile.example', identities: [{ provider: 'github', provider_id: '7' }] })}\n[1]\n${JSON.stringify({ is_anonymous: true })}\n${JSON.stringify({ email: 'role@hostile.example', role: 'supabase_admin' })}\n`,
  );
  const ndjson = await finishImport(browser, (await startImport(browser, 'a.ndjson', json)).body, json);
  t.match(ndjson.run.counts, { imported: 2, refused: 2 });
  const repeated = await finishImport(browser, (await startImport(browser, 'a.ndjson', json)).body, json);
  t.match(repeated.run.counts, { imported: 0, skipped: 2 }, 'no anonymous doubles');

  const unreadable: [string, Buffer, string, RegExp][] = [
    ['a.csv', Buffer.from('a,email,email\n'), 'import_columns', /email is there twice/],
    ['a.csv', Buffer.from('name\nx\n'), 'import_columns', /must become email or phone/],
    ['a.csv', Buffer.from('\xff\xfee\0', 'latin1'), 'import_file', /UTF-8/],
    ['a.csv', Buffer.from('\n'), 'import_file', /must name the columns/],
  ];
  for (const [name, file, code, message] of unreadable) {
    t.match(await startImport(browser, name, file), { status: 422, body: { error_code: code, msg: message } });
  }
  const plain = Buffer.from('email\nx@hostile.example\n');
  for (const targets of [['shoe'], ['email', 'phone'], [null], ['user_metadata.__proto__']]) {
    t.match(await startImport(browser, 'a.csv', plain, { targets }), { status: 422 }, String(targets));
  }
  t.match(await browser.get('/api/imports/nonsense/results'), { status: 404 });
  t.match(await browser.get(`/api/imports/${run.id}/results?cursor=x`), { status: 400 });
  t.match(await browser.get(`/api/imports/${run.id}/results?format=xml`), { status: 400 });
  await forgetStepUps(console);
  t.match(await startImport(browser, 'a.csv', plain), { status: 403, body: { error_code: 'operator_step_up' } });
});
