/** The question whether to sign out of a client, with something going wrong at its form. Each goes on to the client. */

import { LOST_COOKIE, troublesOf } from '../support/hosted/troubles.js';
import { addClient, oauthSettings, refresh, signInToClient, signUpPerson } from '../support/oauth-client.js';
import { PageBrowser } from '../support/page-browser.js';
import { openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';

const server = await openTestServer(t, oauthSettings({ PAGES_ENABLED: 'true', OAUTH_SERVER_AUTHORIZATION_PATH: '' }));
const BYE = 'https://notes.example.com/bye';
const client = await addClient(server, { post_logout_redirect_uris: [BYE] });
const QUESTION = `/ui/logout?${new URLSearchParams({ client_id: client.id, post_logout_redirect_uri: BYE, state: 'x' })}`;
const fields = { action: 'sign_out' };

for (const [name, trouble] of Object.entries(troublesOf(server))) {
  t.test(name, async (t) => {
    const person = await signUpPerson(server);
    const { email } = person;
    const { body: tokens } = await signInToClient(server, person, client);
    const browser = await new PageBrowser(server.url).open('/ui/sign-in');
    await browser.send(browser.form('/ui/sign-in'), { address: email, password, action: 'password' });
    await browser.open(QUESTION);
    t.match(browser.html, email, 'whose session it is');
    await trouble(browser, browser.form('/ui/logout'), fields);
    for (let pages = 0; browser.onward === '' && pages < 3; pages++) {
      t.comment(`${browser.status} ${browser.title}: ${browser.alert}`);
      const again = browser.forms.find(({ html }) => html.includes('value="sign_out"'));
      if (again === undefined) break;
      await browser.send(again, fields);
    }
    t.equal(browser.onward, `${BYE}?state=x`, `${browser.status} ${browser.title}: ${browser.alert}`);
    const { status } = await refresh(server, client, tokens['refresh_token']);
    // A browser without its cookie cannot say whose session it means.
    t.equal(status, name === LOST_COOKIE ? 200 : 400, 'the session of the client');
    await browser.open('/ui/account');
    t.equal(browser.html.includes(email), name !== LOST_COOKIE, 'the pages stay signed in');
  });
}
