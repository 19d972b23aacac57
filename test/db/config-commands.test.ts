/** latchkey config set, unset, export, import, history and rollback, on the settings in the database. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase } from '../../src/db/pool.js';
import { parseEnvFile, quoteEnv } from '../../src/server/config/env-file.js';
import { loadConfig } from '../../src/server/config/load.js';
import { renewSettingSecrets } from '../../src/server/stored-settings/renew-setting-secrets.js';
import { createTestDatabase } from '../support/database.js';
import { keepLog } from '../support/quiet-log.js';
import { makeDirectory } from '../support/reload.js';
import { runCommand } from '../support/run-command.js';
import { testEnvironment } from '../support/server.js';
import { type Test, t } from '../support/tap.js';
import { until } from '../support/until.js';

async function openCommands(t: Test, settings: Record<string, string> = {}) {
  const database = await createTestDatabase(t);
  const directory = await makeDirectory(t, { 'empty.env': '' });
  const file = join(directory, 'empty.env');
  const environment = testEnvironment(database.url, settings);
  const run = (args: readonly string[], input = '', changed: Record<string, string> = {}) =>
    runCommand(['config', ...args], { ...environment, ...changed }, file, input);
  return { database, directory, file, environment, run };
}

t.test('set, unset, history and rollback', async (t) => {
  const { run, database } = await openCommands(t);
  t.match(await run(['set', 'AUTH_DISABLE_SIGNUP=true', 'AUTH_PAGES_NAME=Acme', '--dry-run']), {
    code: 0,
    out: /\+ AUTH_DISABLE_SIGNUP {2}true\n[\s\S]*Nothing has been stored/,
  });
  t.match(await run(['history']), { code: 0, err: /Nothing was ever stored/ });
  t.match(await run(['set', 'AUTH_DISABLE_SIGNUP=true', 'AUTH_PAGES_NAME=Acme', '--comment=opening']), {
    code: 0,
    out: /Stored as set 1/,
  });
  t.match(await run(['set', 'AUTH_SMTP_PASS=-'], 'hush-hush\n'), { code: 0, out: /\+ AUTH_SMTP_PASS {2}\(secret\)/ });
  t.match(await run(['set', 'AUTH_PAGES_NAME=Acme']), { code: 0, out: /Nothing has changed/ });
  // Neither the environment nor JSON brings it, but a file may.
  t.match(await run(['set', 'AUTH_PAGES_NAME=Ac\0me']), {
    code: 2,
    err: /AUTH_PAGES_NAME must not hold the character NUL/,
  });
  const { rows } = await database.admin.query(
    'select name, text, is_sealed from setting_changes order by version, name',
  );
  t.match(rows, [{ text: 'true' }, { text: 'Acme', is_sealed: false }, { name: 'AUTH_SMTP_PASS', is_sealed: true }]);
  t.notMatch(rows[2].text, 'hush');

  t.match(await run(['set', 'AUTH_JWT_EXP=soon', 'AUTH_DB_MAX_POOL_SIZE=3', 'PORT=1', 'AUTH_NO=1']), {
    code: 2,
    err: /AUTH_JWT_EXP must be a duration[\s\S]*AUTH_DB_MAX_POOL_SIZE cannot be in the database[\s\S]*PORT cannot[\s\S]*AUTH_NO is not a setting/,
  });
  t.match(await run(['set', 'SITE_URL=https://a.example', 'AUTH_PAGE_NAME=A', 'GOTRUE_JWT_EXP=600']), {
    code: 2,
    err: /SITE_URL is not a setting; AUTH_SITE_URL is\.\n.*AUTH_PAGES_NAME is\.\n.*GOTRUE_JWT_EXP is not a setting; AUTH_JWT_EXP is\.\n/,
  });
  t.match(await run(['unset', 'AUTH_PAGES_NAME', 'AUTH_SMTP_PASS']), { code: 0, out: /- AUTH_PAGES_NAME\n/ });
  t.match(await run(['show']), { code: 0, out: /AUTH_DISABLE_SIGNUP +true {2}\(database\)/ });

  const history = await run(['history']);
  t.match(
    history.out,
    /^3 {2}[\s\S]*AUTH_PAGES_NAME {2}Acme -> unset[\s\S]*^2 {2}[\s\S]*AUTH_SMTP_PASS {2}unset -> [\w-]{22}\n/m,
  );
  t.match(history.out, /^1 {2}.*opening\n {4}AUTH_DISABLE_SIGNUP {2}unset -> true/m);
  t.notMatch(history.out, 'hush');

  const body = `<p>${'Hello. '.repeat(400)}</p>`;
  const whole = (await openCommands(t)).run;
  await whole(['set', `AUTH_MAILER_CONTENTS_INVITE={"en":{"body":${JSON.stringify(body)}}}`]);
  t.match((await whole(['history'])).out, /unset -> \{"en":\{"body":"<p>Hello\. .{20,60}… \(28\d\d characters\)\n$/);
  for (const args of [['--full'], ['--ndjson']]) t.ok((await whole(['history', ...args])).out.includes('Hello. </p>'));

  t.match(await run(['rollback', '2', '--dry-run']), { code: 0, out: /\+ AUTH_SMTP_PASS {2}\(secret\)/ });
  t.match(await run(['rollback', '2']), { code: 0, out: /Stored as set 4/ });
  t.match(await run(['export', '--secrets']), { out: /AUTH_PAGES_NAME=Acme\nAUTH_SMTP_PASS=hush-hush\n/ });
  t.match(await run(['export']), { out: /AUTH_PAGES_NAME=Acme\n$/, err: /AUTH_SMTP_PASS is a secret/ });
  t.match(await run(['rollback', '0']), { code: 0, out: /Stored as set 5/ });
  t.match(await run(['export']), { code: 0, out: /^$/ });
  t.match(await run(['rollback', '9']), { code: 2, err: /there is no version 9/ });
  const audit = await database.admin.query("select payload ->> 'action' as action from audit_log order by created_at");
  t.same(
    audit.rows.map(({ action }) => action),
    ['settings_changed', 'settings_changed', 'settings_changed', 'settings_restored', 'settings_restored'],
  );
});

t.test('import: from the environment, from a file, and what cannot be stored', async (t) => {
  const { run, directory } = await openCommands(t, { SMTP_PASS: 'quiet', PAGES_NAME: 'From the environment' });
  const handedOver = await run(['import', '--only=AUTH_PAGES_NAME,AUTH_SMTP_PASS,DATABASE_URL']);
  t.match(handedOver, {
    code: 0,
    out: /Stored as set 1[\s\S]*those come first/,
    err: /DATABASE_URL stays where it is/,
  });
  t.match(await run(['show']), { out: /AUTH_PAGES_NAME +From the environment {2}\(environment\)/ });
  const removed = { AUTH_PAGES_NAME: '', AUTH_SMTP_PASS: '' };
  t.match(await run(['show'], '', removed), { out: /AUTH_PAGES_NAME +From the environment {2}\(database\)/ });

  const text = `line one\nit's "two" $3 \\ end`;
  const ndjson = [
    { name: 'GOTRUE_PAGES_NAME', text },
    { name: 'AUTH_SMTP_PASS', text: null },
  ].map((row) => JSON.stringify(row));
  t.match(await run(['import', '-'], ndjson.join('\n'), removed), {
    code: 0,
    out: /~ AUTH_PAGES_NAME[\s\S]*- AUTH_SMTP_PASS/,
  });
  const exported = await run(['export'], '', removed);
  t.equal(parseEnvFile(exported.out, {}).values.get('AUTH_PAGES_NAME'), text, 'an export is read as it was');
  await writeFile(join(directory, 'other.env'), 'AUTH_DISABLE_SIGNUP=true\nPATH=/bin\nAUTH_JWT_SECRET=x\n');
  t.match(await run(['import', join(directory, 'other.env'), '--replace'], '', removed), {
    code: 0,
    out: /\+ AUTH_DISABLE_SIGNUP[\s\S]*- AUTH_PAGES_NAME/,
    err: /AUTH_JWT_SECRET stays where it is/,
  });
  t.match(await run(['import', join(directory, 'none.env')]), { code: 2, err: /ENOENT/ });
  t.match(await run(['import', '-'], '{"name":1}'), { code: 2, err: /line 1 is not/ });
  for (const awkward of ['', "'", '"', '$HOME', 'a\r\nb', '\\n', ' x ', '#', `'"$\\\r\n`]) {
    t.equal(parseEnvFile(`A=${quoteEnv(awkward)}\n`, {}).values.get('A'), awkward, JSON.stringify(awkward));
  }
});

t.test('a set that cannot be used: the last good one counts, and everything says so', async (t) => {
  const { run, database, environment } = await openCommands(t);
  const { admin } = database;
  const check = (changed = {}) => run(['show'], '', changed);
  t.match(await run(['set', 'AUTH_PAGES_NAME=Good']), { code: 0 });

  await t.test('written by hand', async (t) => {
    await admin.query("insert into setting_sets (version, changed_by) values (2, 'psql')");
    await admin.query(
      "insert into setting_changes (version, name, text) values (2, 'AUTH_JWT_EXP', 'soon'), (2, 'AUTH_PAGES_NAME', 'Bad')",
    );
    t.match(await check(), {
      code: 1,
      out: /AUTH_PAGES_NAME +Good[\s\S]*Set 2 of the settings in the database cannot be used: AUTH_JWT_EXP must be a duration[\s\S]*Set 1 is in use/,
    });
    t.match(
      await run(['set', 'AUTH_PAGES_NAME=Better']),
      { code: 2, err: /AUTH_JWT_EXP/ },
      'the fault has to go first',
    );
    t.match(await run(['set', 'AUTH_JWT_EXP=30m']), { code: 0 });
    t.match(await check(), { code: 0, out: /AUTH_PAGES_NAME +Bad/ });
  });

  await t.test('by a newer release: kept, and without effect', async (t) => {
    await admin.query("insert into setting_sets (version, changed_by) values (4, 'newer')");
    await admin.query(
      "insert into setting_changes (version, name, text) values (4, 'AUTH_OF_TOMORROW', 'x'), (4, 'DATABASE_URL', 'postgres://evil')",
    );
    t.match(await check(), {
      code: 0,
      out: /AUTH_OF_TOMORROW of the database is ignored[\s\S]*DATABASE_URL of the database is ignored/,
    });
    t.match(await run(['set', 'AUTH_PAGES_NAME=Later']), { code: 0 });
    t.match(await run(['export']), { out: /AUTH_OF_TOMORROW=x/ });
    t.match(await run(['rollback', '3']), { code: 0, out: /- AUTH_OF_TOMORROW/ });
  });

  await t.test('that another source contradicts', async (t) => {
    t.match(
      await run(['set', 'AUTH_MAILER_ALLOW_UNVERIFIED_EMAIL_SIGN_INS=true'], '', { AUTH_MAILER_AUTOCONFIRM: 'false' }),
      { code: 0 },
    );
    t.match(await check(), { code: 1, out: /cannot be combined with AUTH_MAILER_AUTOCONFIRM[\s\S]*Set 6 is in use/ });
    t.match(await run(['unset', 'AUTH_MAILER_ALLOW_UNVERIFIED_EMAIL_SIGN_INS']), { code: 0 });
  });

  await t.test('sealed with a secret that is gone', async (t) => {
    t.match(await run(['set', 'AUTH_SMTP_PASS=hush']), { code: 0 });
    const other = { AUTH_JWT_SECRET: 'another-secret-another-secret-another-1' };
    t.match(await check(other), { code: 0, out: /AUTH_SMTP_PASS of the database is ignored: it cannot be opened/ });
    const both = { ...other, AUTH_JWT_PREVIOUS_SECRETS: 'test-secret-test-secret-test-secret-42' };
    t.match(await check(both), { code: 0, out: /AUTH_SMTP_PASS +set \(4 bytes\)/ });
    const { config } = loadConfig({ environment: { ...environment, ...both }, file: null });
    const quietLog = keepLog();
    const db = openDatabase({
      url: database.url,
      maxConnections: 1,
      prefix: '',
      preparedStatements: false,
      log: quietLog,
    });
    const stop = renewSettingSecrets(db, config, quietLog);
    await until(async () => /AUTH_SMTP_PASS +set/.test((await check(other)).out));
    t.match(
      await check(other),
      { code: 0, out: /AUTH_SMTP_PASS +set \(4 bytes\)/ },
      'a start seals it with the new secret',
    );
    stop();
    await db.close();
  });

  await t.test('without a table, and without a database', async (t) => {
    await admin.query('drop table setting_changes');
    t.match(await check(), { code: 0, out: /The configuration is complete/ });
    const away = { AUTH_DB_DATABASE_URL: 'postgres://127.0.0.1:1/x' };
    t.match(await check(away), { code: 0, out: /settings of the database could not be read/ });
    t.match(await run(['set', 'AUTH_PAGES_NAME=x'], '', away), { code: 1 });
    t.match(await check({ ...away, AUTH_SITE_URL: '' }), {
      code: 2,
      err: /AUTH_SITE_URL is missing, and the database was not read \(/,
    });
  });
});
