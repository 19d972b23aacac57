/** The page for the codes of devices, without scripts. */

import { signUpPerson } from '../support/oauth-client.js';
import { addDeviceClient, beginDevice, deviceSettings, pollDevice } from '../support/oauth-device.js';
import { PageBrowser } from '../support/page-browser.js';
import { freshEmail, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';

const settings = deviceSettings({ OAUTH_SERVER_DEVICE_PATH: '', PAGES_ENABLED: 'true' });
const server = await openTestServer(t, settings);
const pathOf = (browser: PageBrowser) => new URL(browser.url).pathname;
const open = async (address = '/ui/device', browser = new PageBrowser(server.url)) => {
  await browser.open(address);
  return browser;
};
const typeCode = (browser: PageBrowser, code: string) =>
  browser.send(browser.form('/ui/device'), { code, action: 'code' });
const signIn = (browser: PageBrowser, address: string) =>
  browser.send(browser.form('/ui/sign-in'), { address, password, action: 'password' });

t.test('type the code, sign up, allow; the device gets its tokens', async (t) => {
  const client = await addDeviceClient(server, { client_name: 'TV <b>' });
  const begun = await beginDevice(server, client, { scope: 'openid email' });
  t.equal(begun['verification_uri'], 'http://localhost:9999/ui/device');
  const browser = await open();
  t.equal(browser.title, 'Connect a device');
  await typeCode(browser, begun['user_code']!.toLowerCase().replace('-', ' '));
  t.equal(pathOf(browser), '/ui/sign-in');
  const email = freshEmail();
  await browser.open(`/ui/sign-up${new URL(browser.url).search}`);
  await browser.send(browser.form('/ui/sign-up'), { address: email, password });
  t.equal(pathOf(browser), '/ui/device', browser.html);
  t.equal(browser.title, 'Allow TV <b> on your device?');
  t.match(browser.alert, begun['user_code'], 'to compare it');
  t.match(browser.html, email);
  t.match(browser.html, 'from the address 127.0.0.1');
  t.match(browser.html, 'It says that it is: node');
  t.match(browser.html, 'See your email address');
  t.match(await pollDevice(server, client, begun['device_code']!), { body: { error: 'authorization_pending' } });
  const question = browser.form('/ui/device');
  await browser.send(question, { action: 'approve' });
  t.equal(browser.title, 'Device connected');
  t.equal((await pollDevice(server, client, begun['device_code']!)).status, 200);
  await browser.send(question, { action: 'deny' });
  t.match(browser.html, 'was decided already', 'Back and the other button');
});

t.test('the code of the address has to be confirmed', async (t) => {
  const [client, person] = [await addDeviceClient(server), await signUpPerson(server)];
  const begun = await beginDevice(server, client);
  const address = new URL(begun['verification_uri_complete']!);
  const browser = await open(address.pathname + address.search);
  t.equal(browser.form('/ui/device').fields['code'], begun['user_code']);
  await browser.send(browser.form('/ui/device'), { action: 'code' });
  await signIn(browser, person.email);
  await browser.send(browser.form('/ui/device'), { action: 'deny' });
  t.equal(browser.title, 'Not allowed');
  t.match(await pollDevice(server, client, begun['device_code']!), { body: { error: 'access_denied' } });

  const again = await beginDevice(server, client);
  await open(`/ui/device?user_code=${again['user_code']}`, browser);
  await browser.send(browser.form('/ui/device'), { action: 'code' });
  t.equal(pathOf(browser), '/ui/sign-in', 'the account is chosen');
  await browser.send(browser.form('/ui/sign-in'), { action: 'choose' });
  t.equal(browser.title, 'Allow Living room on your device?', 'a consent is not remembered here');
});

t.test('wrong codes', async (t) => {
  const [client, person] = [await addDeviceClient(server), await signUpPerson(server)];
  const browser = await open();
  await typeCode(browser, 'HELLO');
  t.match(browser.alert, 'wrong or has expired', 'at once, since it cannot be one');
  t.equal(browser.form('/ui/device').fields['code'], 'HELLO');
  await typeCode(browser, 'BCDF-GHJK');
  t.equal(pathOf(browser), '/ui/sign-in', 'a stranger does not learn whether a code is right');
  await signIn(browser, person.email);
  t.equal(pathOf(browser), '/ui/device');
  t.equal(browser.status, 404);
  t.match(browser.alert, 'wrong or has expired');
  const { user_code } = await beginDevice(server, client);
  await typeCode(browser, user_code!);
  t.equal(browser.title, 'Allow Living room on your device?');
  for (let n = 0; n < 9; n++)
    await typeCode(await open('/ui/device', browser), 'BCDF-GHJK').then(() =>
      browser.send(browser.form('/ui/sign-in'), { action: 'choose' }),
    );
  await typeCode(browser, user_code!);
  t.equal(browser.status, 429);
  t.match(browser.alert, 'Too many requests');
});

t.test('a lost cookie, a form from elsewhere, the account of another one', async (t) => {
  const [client, first, second] = [
    await addDeviceClient(server),
    await signUpPerson(server),
    await signUpPerson(server),
  ];
  const begun = await beginDevice(server, client);
  const browser = await open();
  await typeCode(browser, begun['user_code']!);
  await signIn(browser, first.email);
  const question = browser.form('/ui/device');
  const stolen = await fetch(question.action, {
    method: 'POST',
    headers: { origin: 'https://evil.example' },
    body: new URLSearchParams({ ...question.fields, action: 'approve' }),
  });
  t.equal(stolen.status, 403);
  const lost = new PageBrowser(server.url);
  await lost.send(question, { action: 'approve' });
  t.equal(pathOf(lost), '/ui/sign-in', 'the question needs its person');
  await browser.open(`/ui/sign-in${new URL(browser.url).search}&account=other`);
  await signIn(browser, second.email);
  t.match(browser.html, second.email);
  await browser.send(browser.form('/ui/device'), { action: 'approve' });
  const { body } = await pollDevice(server, client, begun['device_code']!);
  t.equal((await server.call('GET', '/user', { bearer: body.access_token })).body.id, second.id);
});

t.test('off, and without a page for codes', async (t) => {
  const off = await openTestServer(
    t,
    deviceSettings({ OAUTH_SERVER_DEVICE_GRANT_ENABLED: 'false', PAGES_ENABLED: 'true' }),
  );
  t.equal((await fetch(`${off.url}/ui/device`)).status, 404);
  await t.rejects(openTestServer(t, deviceSettings({ OAUTH_SERVER_DEVICE_PATH: '' })), /AUTH_OAUTH_SERVER_DEVICE_PATH/);
});
