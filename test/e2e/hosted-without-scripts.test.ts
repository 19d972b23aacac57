/** Every flow of the hosted pages in a browser without scripts, to the application; the long form sees every state, too. */
import { enrolTotp, openApp, type Session, verifyWith } from '../support/authenticator-app.js';
import { pageStates } from '../support/hosted/catalogue.js';
import { type OpenDevice, openDevices } from '../support/hosted/devices.js';
import { nameOfState } from '../support/hosted/page-state.js';
import { keepInside, Visitor } from '../support/hosted/visitor.js';
import { openWorlds, type World } from '../support/hosted/worlds.js';
import { pickForm } from '../support/long-form.js';
import { findChromium, openBrowser } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { addClient, authorize } from '../support/oauth-client.js';
import { freshEmail, freshPhone, password } from '../support/server.js';
import { equalSoon } from '../support/soon.js';
import { onlyInFull, t } from '../support/tap.js';

onlyInFull('each flow in a browser, 12 s of processor time; the same by HTTP, without scripts, too: pages-*');

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else await run(chromium);

async function run(executablePath: string): Promise<void> {
  const browser = await openBrowser(t, executablePath);
  const worldOf = openWorlds(t);
  const world = await worldOf('full');
  const openDevice = openDevices(t, browser);
  const visit = (there: World = world) => openVisitor(openDevice, there);

  t.test('a code', async (t) => {
    const address = await world.addPerson('ada');
    const visitor = await visit();
    await visitor.begin();
    await visitor.askForCode(address);
    await visitor.enterCode((await world.nextMail(address)).code);
    t.equal(await leavesAs(visitor), address);
  });

  t.test('a wrong password, Back, the right one', async (t) => {
    const address = await world.addPerson('ada');
    const visitor = await visit();
    await visitor.begin();
    await visitor.signIn(address, 'not the password');
    await visitor.page.goBack();
    await visitor.signIn(address);
    t.equal(await leavesAs(visitor), address);
  });

  t.test('a new account', async (t) => {
    const address = freshEmail();
    const visitor = await visit();
    await visitor.begin();
    await visitor.press('a[href*="sign-up"]');
    await visitor.fill({ address, password });
    await visitor.press('form[action^="sign-up"] button[type="submit"]');
    await visitor.enterCode((await world.nextMail(address)).code);
    t.equal(await leavesAs(visitor), address);
  });

  t.test('a number in place of an address', async (t) => {
    const phone = freshPhone();
    const visitor = await visit();
    await visitor.begin();
    await visitor.askForCode(`+${phone}`);
    await visitor.enterCode(await world.nextText(phone));
    t.equal(await leavesAs(visitor), phone);
  });

  t.test('a forgotten password', async (t) => {
    const address = await world.addPerson('ada');
    const visitor = await visit();
    await visitor.begin();
    await visitor.press('a[href*="recover"]');
    await visitor.fill({ address });
    await visitor.press('form[action^="recover"] button');
    await visitor.enterCode((await world.nextMail(address)).code);
    await visitor.fill({ password: 'another good password' });
    await visitor.press('button[value="save"]');
    t.equal(await leavesAs(visitor), address);
    await visitor.begin('sign-in', { prompt: 'login' });
    await visitor.signIn(address, 'another good password');
    t.equal(await leavesAs(visitor), address);
  });

  t.test('the link of a mail', async (t) => {
    const address = await world.addPerson('ada');
    const visitor = await visit();
    await visitor.begin();
    await visitor.askForCode(address);
    await visitor.open((await world.nextMail(address)).link!.href);
    await visitor.press('form[action^="link"] button');
    t.equal(await leavesAs(visitor), address);
  });

  t.test('a second factor: an app, then a recovery code', async (t) => {
    const address = await world.addPerson('ada');
    const session = (await world.post('/token?grant_type=password', { email: address, password })).body as Session;
    const { id, secret } = await enrolTotp(world, session);
    const app = openApp(secret);
    const raised = (await verifyWith(world, session, id, app.nextCode())).body as Session;
    const { body } = await world.call('POST', '/factors/recovery-codes', { bearer: raised.access_token });
    const visitor = await visit();
    await visitor.begin();
    await visitor.signIn(address);
    await visitor.enterCode(app.nextCode());
    t.equal(await leavesAs(visitor), address);
    await visitor.begin('sign-in', { prompt: 'login' });
    await visitor.signIn(address);
    await visitor.press('a[href*="factor=recovery"]');
    await visitor.fill({ code: body.codes[0] });
    await visitor.press('button[value="recovery"]');
    t.equal(await leavesAs(visitor), address);
  });

  t.test('accounts of the browser: another one, one of them, signing out', async (t) => {
    const [first, second] = [await world.addPerson('ada'), await world.addPerson('grace')];
    const visitor = await visit();
    await visitor.begin();
    await visitor.signIn(first);
    await visitor.begin();
    await visitor.press('a[href*="account=other"]');
    await visitor.signIn(second);
    t.equal(await leavesAs(visitor), second);
    await visitor.begin();
    await visitor.press(`form:has-text("${first}") button[value="choose"]`);
    t.equal(await leavesAs(visitor), first);
    await visitor.begin();
    for (const left of ['/ui/sign-in', '/ui/signed-out']) {
      await visitor.press('form[action^="sign-out"] button');
      t.equal(new URL(visitor.page.url()).pathname, left);
    }
  });

  t.test('a client: allowed, and not allowed', async (t) => {
    const client = await addClient(world, { client_name: 'Notes', redirect_uris: ['https://app.example.com/back'] });
    const parameters = { redirect_uri: 'https://app.example.com/back', prompt: 'consent' };
    const visitor = await visit();
    const address = await world.addPerson('ada');
    for (const [action, answer] of [
      ['approve', 'code'],
      ['deny', 'error'],
    ] as const) {
      const { location } = await authorize(world, { clientId: client.id, parameters });
      await visitor.open(location.pathname + location.search);
      if (action === 'approve') await visitor.signIn(address);
      else await visitor.press('button[value="choose"]');
      await visitor.press(`button[value="${action}"]`);
      t.ok(new URL(await onwardOf(visitor)).searchParams.has(answer));
    }
  });

  const everyState = pickForm({ short: [], long: pageStates.filter(({ needsScripts }) => needsScripts !== true) });
  for (const state of everyState) {
    t.test(nameOfState(state), async (t) => {
      const visitor = await visit(await worldOf(state.world));
      await state.reach(visitor);
      await equalSoon(t, async () => (await visitor.page.locator(state.shows).count()) > 0, true);
      t.equal(visitor.status, state.status ?? 200);
    });
  }
}

async function openVisitor(openDevice: OpenDevice, world: World): Promise<Visitor> {
  const { context, page } = await openDevice({ javaScriptEnabled: false, locale: 'en' });
  await keepInside(context);
  return new Visitor(page, world);
}

/** Where the last page of a flow leads. */
async function onwardOf({ page }: Visitor): Promise<string> {
  const content = await page.locator('meta[http-equiv="refresh"]').getAttribute('content');
  return content!.replace('0; url=', '');
}

/** @returns the address, or the number, of the user that the application gets */
async function leavesAs(visitor: Visitor): Promise<string> {
  const auth_code = new URL(await onwardOf(visitor)).searchParams.get('code');
  const exchange = { auth_code, code_verifier: 'a'.repeat(43) };
  const { body } = await visitor.world.post('/token?grant_type=pkce', exchange);
  return body.user?.email || body.user?.phone || JSON.stringify(body);
}
