/** The account page with a keyboard alone: everything that can be done there is reached, seen and done. */

import { openDevices } from '../support/hosted/devices.js';
import { type KeyboardVisitor, openKeyboardVisitor, readFocus, tabTo } from '../support/hosted/keyboard.js';
import { manage, manageSecured } from '../support/hosted/manage.js';
import { addPasskeys } from '../support/hosted/secured-person.js';
import { openWorlds } from '../support/hosted/worlds.js';
import { findChromium, openBrowser } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { password } from '../support/server.js';
import { equalSoon } from '../support/soon.js';
import { onlyInFull, type Test, t } from '../support/tap.js';

const SECTIONS = [
  '',
  'profile',
  'password',
  'passkeys',
  'factors',
  'identities',
  'sessions',
  'apps',
  'organizations',
  'invitations',
  'download',
  'delete',
];
/** More than any section has places for the focus. */
const MAX_TABS = 60;

onlyInFull(
  'a dozen pages with a keyboard, 15 s of processor time; the same by HTTP: pages-account; the keyboard: hosted-keyboard',
);

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else await run(chromium);

/** Presses Tab until the page is over. @returns how many places had the focus */
async function tabThrough(t: Test, { page }: KeyboardVisitor, where: string): Promise<number> {
  for (let places = 0; places < MAX_TABS; places++) {
    await page.keyboard.press('Tab');
    const { name, isOutlined, isInWindow } = await readFocus(page);
    // Browsers without a frame of their own begin again.
    if (name === 'body' || (name === 'a.skip' && places > 0)) return places;
    t.ok(isOutlined, `${where}: ${name} shows that it has the focus`);
    t.ok(isInWindow, `${where}: ${name} can be seen`);
  }
  throw new Error(`${where}: Tab has no end`);
}

/** How many places of the page can have the focus, hidden ones aside. */
const countPlaces = ({ page }: KeyboardVisitor): Promise<number> =>
  page.locator('a[href]:visible, button:visible, input:visible, summary:visible').count();

/** A text of the page's status, such as Saved. */
const statusOf = ({ page }: KeyboardVisitor) => page.locator('.alert[role="status"]').textContent();

async function run(executablePath: string): Promise<void> {
  const browser = await openBrowser(t, executablePath);
  const world = await openWorlds(t)('full');
  const openDevice = openDevices(t, browser);
  const visit = () => openKeyboardVisitor(openDevice, world);

  t.test('every section: all its places can have the focus, and show it', async (t) => {
    const visitor = await visit();
    await manageSecured(visitor, '');
    for (const section of SECTIONS) {
      await visitor.open(`/ui/account/${section}`.replace(/\/$/, ''));
      const places = await tabThrough(t, visitor, section || 'overview');
      // Fields of forms that are folded up are not among them; the link to the content is.
      t.equal(places, await countPlaces(visitor), section || 'overview');
    }
  });

  t.test('from the overview to a section, and a name is saved', async (t) => {
    const visitor = await visit();
    await manage(visitor);
    await visitor.page.getByRole('link', { name: 'Profile' }).first().focus();
    await visitor.enter();
    await tabTo(t, visitor.page, 'input.name');
    await visitor.type('Ada');
    await visitor.enter();
    t.equal(await statusOf(visitor), 'Saved.');
    await equalSoon(t, () => visitor.page.locator('input[name="name"]').inputValue(), 'Ada');
  });

  t.test('a password is changed', async (t) => {
    const visitor = await visit();
    const email = await manage(visitor, '/password');
    await tabTo(t, visitor.page, 'input.password');
    await visitor.type('another good password');
    await tabTo(t, visitor.page, 'button.save');
    await visitor.enter();
    t.equal(await statusOf(visitor), 'Saved.');
    t.equal((await world.post('/token?grant_type=password', { email, password })).status, 400);
  });

  t.test('a passkey is unfolded, renamed and removed', async (t) => {
    const visitor = await visit();
    await addPasskeys(world, await manage(visitor, '/passkeys'), 1);
    await visitor.open(visitor.page.url());
    await tabTo(t, visitor.page, 'summary');
    await visitor.page.keyboard.press('Enter');
    await tabTo(t, visitor.page, 'input.friendly_name');
    await visitor.page.keyboard.press('Control+A');
    await visitor.type('Laptop');
    await visitor.enter();
    t.equal(await statusOf(visitor), 'Saved.');
    await tabTo(t, visitor.page, 'summary');
    await visitor.page.keyboard.press('Space');
    await tabTo(t, visitor.page, 'button.rename');
    await visitor.page.keyboard.press('Tab');
    await visitor.enter();
    t.equal(await statusOf(visitor), 'Removed.');
  });

  t.test('other sessions are ended', async (t) => {
    const visitor = await visit();
    const email = await manage(visitor, '/sessions');
    await world.post('/token?grant_type=password', { email, password });
    await visitor.open(visitor.page.url());
    await tabTo(t, visitor.page, 'button.others');
    await visitor.enter();
    t.equal(await statusOf(visitor), 'Signed out there.');
    await equalSoon(t, () => visitor.page.locator('main li').count(), 1);
  });

  t.test('the account is deleted', async (t) => {
    const visitor = await visit();
    const email = await manage(visitor, '/delete');
    await tabTo(t, visitor.page, 'input.name');
    await visitor.type(email);
    await visitor.enter();
    t.equal(new URL(visitor.page.url()).pathname, '/ui/signed-out');
    t.equal((await world.post('/token?grant_type=password', { email, password })).status, 400);
  });
}
