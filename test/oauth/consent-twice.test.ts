/** A request that is decided twice: by two tabs, a second click, or Back (docs/decisions.md, Requests that are decided twice). */

import { openHostedServer, signInOnPages } from '../support/hosted-server.js';
import { untilBlocked } from '../support/lock-waits.js';
import { addClient, authorize, redeem, signUpPerson } from '../support/oauth-client.js';
import { addDeviceClient, beginDevice, pollDevice } from '../support/oauth-device.js';
import { t } from '../support/tap.js';

const server = await openHostedServer(t);

/** A person on the question of a client. */
async function openQuestion(more: Record<string, unknown> = {}, parameters: Record<string, string> = {}) {
  const [client, person] = [await addClient(server, more), await signUpPerson(server)];
  const { location } = await authorize(server, { clientId: client.id, parameters });
  const browser = await server.openBrowser().open(location.href);
  await signInOnPages(browser, person.email);
  const id = location.searchParams.get('authorization_id')!;
  const state = async () => {
    const { rows } = await server.database.admin.query(
      'select status, code_hash from oauth_authorizations where id = $1',
      [id],
    );
    return rows[0] as { status: string; code_hash: string | null };
  };
  return { client, person, browser, location, state };
}

t.test('two tabs approve: one code, and the other tab leads back to the application', async (t) => {
  const { client, browser, state } = await openQuestion({ client_name: 'Notes <b>' });
  const other = await browser.openTab();
  const question = other.form('/ui/consent');
  await browser.send(browser.form('/ui/consent'), { action: 'approve' });
  const code = new URL(browser.onward).searchParams.get('code')!;
  const first = await state();
  await other.send(question, { action: 'approve' });
  t.equal(other.status, 400);
  t.equal(other.title, 'You have already decided');
  t.match(other.html, 'This request from Notes &#60;b&#62; was decided already');
  t.equal(other.link('Continue to client.example.com'), 'https://client.example.com/');
  t.equal(other.onward, '', 'by hand: the first tab may be there');
  t.notMatch(other.html, /code=|href="[^"]*sign-in/, 'no code, and not our sign-in');
  t.same(await state(), first, 'the code is that of the first');
  t.equal((await redeem(server, client, code)).status, 200);
  await other.send(question, { action: 'approve' });
  t.equal(other.title, 'You have already decided', 'after the exchange, too');
  await other.send(question, { action: 'deny' });
  t.equal(other.title, 'You have already decided', 'and by the other button');
  t.equal((await state()).status, 'redeemed');
  await browser.open(`/ui/consent${new URL(other.url).search}`);
  t.equal(browser.title, 'You have already decided', 'Back');
  t.equal(browser.status, 400);
});

t.test('who opens a request while another tab or person does waits, and the first owns it', async (t) => {
  const { browser, person, location } = await openQuestion();
  const { admin } = server.database;
  const id = location.searchParams.get('authorization_id');
  /** Opens it while another transaction has it, which makes somebody its owner. */
  async function openBeside(owner: string) {
    await admin.query('begin');
    await admin.query(
      'update oauth_authorizations set user_id = (select id from users where email = $2) where id = $1',
      [id, owner],
    );
    const opened = browser.open(browser.url);
    await Promise.race([opened, untilBlocked(server.database)]);
    await admin.query('commit');
    await opened;
  }
  await openBeside(person.email);
  t.equal(browser.status, 200);
  t.ok(browser.form('/ui/consent'), 'another tab of the same person');
  await admin.query('update oauth_authorizations set user_id = null where id = $1', [id]);
  await openBeside((await signUpPerson(server)).email);
  t.not(browser.status, 200, 'another person was first');
  t.notOk(browser.forms.some(({ action }) => action.includes('/ui/consent')));
});

t.test('of many at once, one gets the code', async (t) => {
  const { client, browser } = await openQuestion();
  const question = browser.form('/ui/consent');
  const tabs = await Promise.all(Array.from({ length: 8 }, () => browser.openTab()));
  await Promise.all(tabs.map((tab) => tab.send(question, { action: 'approve' })));
  const codes = tabs.filter(({ onward }) => onward !== '');
  t.equal(codes.length, 1);
  t.ok(tabs.every((tab) => tab.onward !== '' || tab.title === 'You have already decided'));
  t.equal((await redeem(server, client, new URL(codes[0]!.onward).searchParams.get('code')!)).status, 200);
});

t.test('denied, then allowed; a remembered consent, then Back', async (t) => {
  const { client, person, browser, state } = await openQuestion();
  const question = browser.form('/ui/consent');
  await browser.send(question, { action: 'deny' });
  await browser.send(question, { action: 'approve' });
  t.equal(browser.title, 'You have already decided');
  t.match(await state(), { status: 'denied', code_hash: null });

  for (let n = 0; n < 2; n++) {
    const { location } = await authorize(server, { clientId: client.id });
    await browser.open(location.href);
    await browser.send(browser.form('/ui/sign-in'), { action: 'choose' });
    if (n === 0) await browser.send(browser.form('/ui/consent'), { action: 'approve' });
  }
  t.ok(new URL(browser.onward).searchParams.has('code'), 'without a question');
  await browser.open(browser.url);
  t.equal(browser.title, 'You have already decided');
  t.match(browser.html, client.body['client_name'] as string);
  t.notMatch(browser.html, person.email);
});

t.test('no link to a program that has stopped listening, and nothing for others', async (t) => {
  const native = { redirect_uris: ['http://127.0.0.1/callback'] };
  const { browser, location } = await openQuestion(native, { redirect_uri: 'http://127.0.0.1:4711/callback' });
  const question = browser.form('/ui/consent');
  await browser.send(question, { action: 'approve' });
  await browser.send(question, { action: 'approve' });
  t.equal(browser.title, 'You have already decided');
  t.notMatch(browser.html, /class="button"|127\.0\.0\.1/);

  const stranger = await server.openBrowser().open(location.href);
  await signInOnPages(stranger, (await signUpPerson(server)).email);
  t.match(stranger.html, 'has expired, or was decided already');
  t.not(stranger.title, 'You have already decided');
  await server.database.admin.query("update oauth_authorizations set created_at = now() - interval '601 seconds'");
  await browser.send(question, { action: 'approve' });
  t.not(browser.title, 'You have already decided', 'an expired request');
  t.match(browser.html, 'has expired');
});

t.test('a device: the same decision again is answered alike', async (t) => {
  for (const [action, title] of [
    ['approve', 'Device connected'],
    ['deny', 'Not allowed'],
  ] as const) {
    const [client, person] = [await addDeviceClient(server), await signUpPerson(server)];
    const { user_code, device_code } = await beginDevice(server, client);
    const browser = await server.openBrowser().open('/ui/device');
    await browser.send(browser.form('/ui/device'), { code: user_code!, action: 'code' });
    await signInOnPages(browser, person.email);
    const question = browser.form('/ui/device');
    for (let n = 0; n < 2; n++) {
      await browser.send(question, { action });
      t.equal(browser.title, title);
    }
    await browser.send(question, { action: action === 'approve' ? 'deny' : 'approve' });
    t.match(browser.html, 'was decided already', 'the other button');
    t.equal((await pollDevice(server, client, device_code!)).status, action === 'approve' ? 200 : 400);
  }
});
