/** The part of the account page about applications. */

import { openAccountPage, pathOf } from '../support/account-page.js';
import { addClient, oauthSettings, refresh, signInToClient, signUpPerson } from '../support/oauth-client.js';
import { openTestServer } from '../support/server.js';
import { t } from '../support/tap.js';

const server = await openTestServer(
  t,
  oauthSettings({ PAGES_ENABLED: 'true', OAUTH_SERVER_SCOPES: 'files.read=Read your <files>' }),
);

t.test('an application, what it may do and since when; its access is taken back', async (t) => {
  const [person, other] = [await signUpPerson(server), await signUpPerson(server)];
  const client = await addClient(server, { client_name: 'Notes <b>' });
  const parameters = { scope: 'openid email files.read' };
  const tokens = (await signInToClient(server, person, client, { parameters })).body;
  const foreign = (await signInToClient(server, other, client, { parameters })).body;

  const browser = await openAccountPage(server.url, person.email, 'sessions');
  t.match(browser.html, '<strong>Notes &#60;b&#62;</strong>', 'its session is among the sessions');
  await browser.open(browser.link('Apps'));
  t.match(browser.html, 'Notes &#60;b&#62;');
  t.match(browser.html, 'See your email address');
  t.match(browser.html, 'Read your &#60;files&#62;');
  t.match(browser.html, /Allowed <time datetime="[^"]+">now<\/time>/);
  const form = browser.form('Remove access');

  await browser.send(form, { form_token: 'x'.repeat(43) });
  t.equal(browser.status, 409);
  await browser.send(form, { entry_id: 'no client' });
  t.equal(browser.status, 400);
  const renewed = await refresh(server, client, tokens.refresh_token);
  t.equal(renewed.status, 200, 'nothing was done');

  await browser.send(form);
  t.equal(browser.alert, 'The app has no access any more.');
  t.match(browser.html, 'No app has access to your account.');
  t.equal((await refresh(server, client, renewed.body.refresh_token)).status, 400);
  t.equal((await refresh(server, client, foreign.refresh_token)).status, 200, 'that of others goes on');
  await browser.send(form);
  t.equal(browser.status, 200, 'a second click is no fault');
  t.equal(pathOf(browser), '/ui/account/apps');
});

t.test('nobody signed in', async (t) => {
  const person = await signUpPerson(server);
  const browser = await openAccountPage(server.url, person.email, 'apps');
  t.equal(pathOf(browser), '/ui/account/apps');
  browser.cookies.clear();
  await browser.open(browser.url);
  t.equal(pathOf(browser), '/ui/sign-in');
});
