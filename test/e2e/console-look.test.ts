/** Own words and an own look, from the form of the console to the mailbox and the sign-in page, and back by the history. */
import type { Page } from 'playwright-core';
import { stepUpAgain } from '../support/console.js';
import { openConsolePages } from '../support/console-page.js';
import { innerFrame } from '../support/console-pages/states-previews.js';
import { fillDiskFor } from '../support/full-disk.js';
import { findChromium } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { freshEmail, password } from '../support/server.js';
import { openTestMailServer } from '../support/smtp.js';
import { equalSoon } from '../support/soon.js';
import { onlyInFull, t } from '../support/tap.js';
import { until } from '../support/until.js';

onlyInFull('pages of the console in a browser; the same by HTTP: console-config');

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else await run(chromium);

async function run(executablePath: string): Promise<void> {
  const mailServer = await openTestMailServer(t);
  const pages = await openConsolePages(t, executablePath, {
    SMTP_HOST: '127.0.0.1',
    SMTP_PORT: String(mailServer.port),
    SMTP_ADMIN_EMAIL: 'no-reply@latchkey.example',
    MAILER_AUTOCONFIRM: 'false',
    PAGES_ENABLED: 'true',
  });
  const { console } = pages;
  const apply = async (page: Page) => {
    await page.getByRole('button', { name: 'Apply', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
    await page.locator('.draft-bar').getByRole('button', { name: 'Apply' }).waitFor({ state: 'detached' });
  };
  const signUp = (locale?: string) =>
    console.post('/signup', { email: freshEmail(), password, ...(locale && { data: { locale } }) });

  t.test('a mail in own words, in two languages, arrives', async (t) => {
    const { page, faults } = await pages.enter('owner', { path: '/mail?tab=templates&kind=confirmation' });
    const subject = page.getByLabel('Subject', { exact: true });
    const body = page.getByRole('textbox', { name: 'Body' });
    await subject.fill('Welcome');
    await body.fill('<h1>Welcome, {{ .Email }}</h1><p>{{ .Token }}</p>');
    await innerFrame(page).getByRole('heading', { name: 'Welcome, ada@example.com' }).waitFor();
    await page.getByLabel('Another language').fill('de');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await subject.fill('Willkommen');
    await body.fill('<h1>Willkommen</h1><p>{{ .Token }}{{ .Tokn }}</p>');
    await page.getByText('This mail never has .Tokn').waitFor();
    await body.fill('<h1>Willkommen</h1><p>{{ .Token }}</p>');
    await innerFrame(page).getByRole('heading', { name: 'Willkommen' }).waitFor();
    await page.getByRole('button', { name: 'Send me this mail' }).click();
    await page.getByText(/accepted the mail to owner-/).waitFor();
    t.match(await mailServer.waitForMails(1), [{ subject: 'Willkommen' }], 'before it is applied');
    const giveRoom = await fillDiskFor(console.database.admin, 'AUTH_MAILER_CONTENTS_CONFIRMATION');
    await page.getByRole('button', { name: 'Apply', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('dialog').getByText('the disk of the database is full').waitFor();
    await giveRoom();
    await page.reload();
    await page.locator('.draft-bar summary').getByText('1 change').waitFor();
    await equalSoon(t, () => subject.inputValue(), 'Welcome', 'the draft has outlived the refusal and the page');
    await apply(page);
    await until(async () => {
      const known = (await mailServer.accepted()).length;
      await signUp();
      return (await mailServer.waitForMails(known + 1)).at(-1)!.subject === 'Welcome';
    });
    const known = (await mailServer.accepted()).length;
    await signUp('de-AT');
    const mail = (await mailServer.waitForMails(known + 1)).at(-1)!;
    t.match(mail, { subject: 'Willkommen', html: /<h1>Willkommen<\/h1><p>\d{6}<\/p>/, text: /WILLKOMMEN|Willkommen/ });
    t.same(faults, []);
  });

  t.test('an own logo and own colours are on the sign-in page, and its logo is kept by browsers', async (t) => {
    const { page, faults } = await pages.enter('owner', { path: '/look' });
    await page.getByLabel('Name of your service').fill('Example Shop');
    // Without a size of its own, as drawing programs write it.
    const logo = Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 32"><path d="M0 0h96v32z"/></svg>',
    );
    const choose = (buffer: Buffer) =>
      page.getByLabel('Logo', { exact: true }).setInputFiles({ name: 'logo.svg', mimeType: 'image/svg+xml', buffer });
    await choose(Buffer.alloc(102_401));
    await page.getByText('The file has 101 kB; 100 kB are allowed.').waitFor();
    await choose(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>'));
    await page.getByText(/must be an SVG without a script/).waitFor();
    await choose(logo);
    const accent = page.getByLabel(/^Buttons and links/).first();
    await accent.fill('#8fb0ff');
    await page.getByText(/leaves a contrast of/).waitFor();
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await page
      .locator('.setting .fault')
      .getByText(/leaves a contrast of/)
      .waitFor();
    await accent.fill('#0b6b3a');
    await innerFrame(page).getByAltText('Example Shop').waitFor();
    await page.locator('.draft-bar summary').click();
    await page.locator('.draft-bar').getByText(`image/svg+xml, ${logo.length} bytes`).waitFor();
    t.ok((await page.getByAltText('The logo').boundingBox())!.width > 90, 'seen beside its field');
    await apply(page);
    let html = '';
    await until(async () => {
      html = await (await fetch(`${console.url}/ui/sign-in`)).text();
      return html.includes('alt="Example Shop"');
    });
    const [, image] = /<img src="(assets\/logo-[0-9a-f]+\.svg)"/.exec(html) ?? [];
    const served = await fetch(`${console.url}/ui/${image}`);
    t.ok(Buffer.from(await served.arrayBuffer()).equals(logo));
    t.match(served.headers.get('cache-control'), /immutable/);
    const visitor = await page.context().newPage();
    await visitor.goto(`${console.url}/ui/sign-in`);
    t.ok((await visitor.getByAltText('Example Shop').boundingBox())!.width > 90, 'seen on the page');
    await visitor.close();
    const [, brand] = /href="(assets\/brand-[0-9a-f]+\.css)"/.exec(html) ?? [];
    t.match(await (await fetch(`${console.url}/ui/${brand}`)).text(), /--accent:#0b6b3a/);
    t.same(faults, []);
  });

  t.test('all of it is undone from the history', async (t) => {
    const owner = await console.signIn('owner', 'undo');
    await stepUpAgain(owner);
    const { version } = (await owner.get('/api/config')).body;
    const undone = await owner.post('/api/config/rollback', { version: 0, base_version: version });
    t.equal(undone.status, 200, undone.text);
    await until(async () => !(await (await fetch(`${console.url}/ui/sign-in`)).text()).includes('Example Shop'));
    const known = (await mailServer.accepted()).length;
    await signUp('de');
    t.match((await mailServer.waitForMails(known + 1)).at(-1), { subject: 'Confirm Your Signup' });
  });
}
