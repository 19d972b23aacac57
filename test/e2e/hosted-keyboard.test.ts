/** The hosted pages with a keyboard alone: no pointer, no touch. What has the focus can always be seen. */

import { openDevices } from '../support/hosted/devices.js';
import { openKeyboardVisitor, readFocus, tabTo } from '../support/hosted/keyboard.js';
import { APPLICATION, openWorlds } from '../support/hosted/worlds.js';
import { findChromium, openBrowser } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { addClient, authorize } from '../support/oauth-client.js';
import { freshEmail, password } from '../support/server.js';
import { equalSoon } from '../support/soon.js';
import { t } from '../support/tap.js';

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else await run(chromium);

async function run(executablePath: string): Promise<void> {
  const browser = await openBrowser(t, executablePath);
  const world = await openWorlds(t)('full');

  const openDevice = openDevices(t, browser);
  const visit = () => openKeyboardVisitor(openDevice, world);

  t.test('sign-in: the first field has the focus, Enter sends the form', async (t) => {
    const address = await world.addPerson('ada');
    const visitor = await visit();
    await visitor.begin();
    await equalSoon(t, async () => (await readFocus(visitor.page)).name, 'input.address');
    await visitor.type(address);
    t.same(await tabTo(t, visitor.page, 'input.password'), ['input.password'], 'nothing is between the fields');
    await visitor.type(password);
    await visitor.enter();
    t.equal(new URL(visitor.page.url()).pathname, '/ui/continue');
  });

  t.test('sign-in: every control is reached in its order, and Space shows the password', async (t) => {
    const visitor = await visit();
    await visitor.begin();
    const order = await tabTo(t, visitor.page, 'button.code');
    t.equal(order.indexOf('button.password') < order.indexOf('button.code'), true);
    await visitor.page.locator('input[type="checkbox"]').focus();
    await visitor.page.keyboard.press('Space');
    await equalSoon(t, () => visitor.page.locator('input[name="password"]').getAttribute('type'), 'text');
  });

  t.test('sign-up: the field for programs is not on the way', async (t) => {
    const visitor = await visit();
    await visitor.begin('sign-up');
    await visitor.type(freshEmail());
    await tabTo(t, visitor.page, 'input.password');
    await visitor.type(password);
    const order = await tabTo(t, visitor.page, 'button');
    t.notOk(order.includes('input.website'));
    await visitor.enter();
    t.equal(new URL(visitor.page.url()).pathname, '/ui/code');
    await equalSoon(t, async () => (await readFocus(visitor.page)).name, 'input.code', 'the code can be typed at once');
  });

  t.test('consent: the first Tab skips to the content; both answers can be chosen', async (t) => {
    // Requests for another host would leave this machine.
    const redirect_uri = `${APPLICATION}/back`;
    const client = await addClient(world, { client_name: 'Notes', redirect_uris: [redirect_uri] });
    const { location } = await authorize(world, { clientId: client.id, parameters: { redirect_uri } });
    const address = await world.addPerson('ada');
    const visitor = await visit();
    await visitor.open(location.pathname + location.search);
    await visitor.type(address);
    await tabTo(t, visitor.page, 'input.password');
    await visitor.type(password);
    await visitor.enter();
    t.equal(new URL(visitor.page.url()).pathname, '/ui/consent');
    t.same(await tabTo(t, visitor.page, 'a.skip'), ['a.skip']);
    await visitor.page.keyboard.press('Enter');
    const order = await tabTo(t, visitor.page, 'button.deny');
    t.ok(order.includes('button.approve'));
    await visitor.page.keyboard.press('Shift+Tab');
    t.equal((await readFocus(visitor.page)).name, 'button.approve');
    await visitor.enter();
    await visitor.page.locator('meta[http-equiv="refresh"]').waitFor({ state: 'attached' });
  });
}
