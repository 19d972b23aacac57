/** `npm start` with a schema for applications: SQL by psql as docs/application-database.md says it, accounts by a browser. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from '../support/client-pools.js';
import { startDev } from '../support/dev-server.js';
import { findChromium, openBrowser, PAGE_PATIENCE_MS } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { call, freshEmail, password } from '../support/server.js';
import { readSource } from '../support/source-tree.js';
import { onlyInFull, t } from '../support/tap.js';
import { until } from '../support/until.js';

onlyInFull('npm start, a browser and psql; the same SQL: docs, starter');

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else if ((await findProgram('psql', '--version')) === null) skipHere(t, missingProgram('psql', 'postgresql'));
else await run(chromium);

async function run(executablePath: string): Promise<void> {
  const { url, directory } = await startDev(t, { AUTH_DB_APP_SCHEMA: 'auth', AUTH_MAILER_AUTOCONFIRM: 'false' });
  const kept = (name: string) => readFileSync(join(directory, 'postgres', name), 'utf8').trim();

  /** @returns the rows, a line each */
  function psql(sql: string): string[] {
    const args = ['-h', '127.0.0.1', '-p', kept('port'), '-U', 'postgres', '-v', 'ON_ERROR_STOP=1', '-qtA'];
    const env = { PATH: process.env['PATH'], PGPASSWORD: kept('password') };
    const { status, stdout, stderr } = spawnSync('psql', args, { input: sql, env, encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    return stdout.split('\n').filter(Boolean);
  }
  /** As a REST layer asks for a user. */
  const asUser = (id: string, sql: string) =>
    psql(`begin; set local role authenticated; set local request.jwt.claims = '{"sub": "${id}", "role": "authenticated"}';
      ${sql}; commit;`);

  const { text } = readSource('docs/application-database.md');
  const blocks = [...text.matchAll(/^```sql\n(.*?)^```/gms)].map(([, block]) => block!);
  const [profiles, policies] = blocks as [string, string];
  psql(`${profiles} ${policies} grant select on public.profiles to anon, authenticated;`);

  const browser = await openBrowser(t, executablePath);
  const context = await browser.newContext({ viewport: { width: 900, height: 700 } });
  // The site.
  await context.route('http://localhost:3000/**', (route) => route.fulfill({ status: 204 }));
  const page = await context.newPage();
  page.setDefaultTimeout(PAGE_PATIENCE_MS);
  const faults: string[] = [];
  page.on('pageerror', (error) => void faults.push(error.message));
  const readMails = async (to: string) =>
    (await call(url, 'GET', `/dev/mailbox/messages.json?to=${encodeURIComponent(to)}`)).body.messages;

  async function signUpByPage(address: string): Promise<void> {
    await page.goto(`${url}/ui/sign-up`);
    await page.fill('input[name="address"]', address);
    await page.fill('input[name="password"]', password);
    await page.click('form[action^="sign-up"] button[type="submit"]');
    await page.waitForLoadState();
  }

  t.test('a sign-up on the page makes the profile, and the mail confirms the account', async (t) => {
    const address = freshEmail();
    await signUpByPage(address);
    await until(async () => (await readMails(address)).length > 0);
    const [id] = psql(`select p.id from public.profiles p join auth.users u using (id) where u.email = '${address}'`);
    t.ok(id, 'the profile is there');
    t.same(psql(`select email_confirmed_at from auth.users where id = '${id}'`), []);
    const [mail] = await readMails(address);
    await page.goto(mail.links[0]);
    await page.click('form[action^="link"] button');
    await until(() => psql(`select email_confirmed_at from auth.users where id = '${id}'`).length === 1);
    const signedIn = await call(url, 'POST', '/token?grant_type=password', { body: { email: address, password } });
    t.match(signedIn, { status: 200, body: { user: { id } } });
    const other = freshEmail();
    await signUpByPage(other);
    await until(() => psql('select id from public.profiles').length === 2);
    t.same(asUser(id!, 'select id from public.profiles'), [id], 'a policy shows each account its own');
    t.same(psql('set role anon; select id from public.profiles'), []);
    t.same(faults, []);
  });

  t.test('what a trigger raises is shown on the page, as text', async (t) => {
    psql(`create function public.refuse() returns trigger language plpgsql as $$
      begin raise exception 'Only <b>members</b> of the club'; end $$;
      create trigger refuse before insert on auth.users for each row execute function public.refuse()`);
    await signUpByPage(freshEmail());
    t.match(await page.textContent('body'), /Only <b>members<\/b> of the club/);
    t.same(faults, []);
  });
}
