/** Enrolment of an authenticator app on the account page, with something going wrong at each of its forms: it can be finished. */

import { openAccountPage, pathOf } from '../support/account-page.js';
import { openApp } from '../support/authenticator-app.js';
import { troublesOf } from '../support/hosted/troubles.js';
import type { PageBrowser } from '../support/page-browser.js';
import { cross, pickRows } from '../support/rows.js';
import { freshEmail, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';

const server = await openTestServer(t, { PAGES_ENABLED: 'true', MAILER_AUTOCONFIRM: 'true' });
const secretOf = ({ html }: PageBrowser) => /<code class="secret" dir="ltr">([A-Z2-7]+)</.exec(html)?.[1];
const countVerified = async (email: string): Promise<number> =>
  (
    await server.database.admin.query(
      "select 1 from mfa_factors f join users u on u.id = f.user_id where u.email = $1 and f.status = 'verified'",
      [email],
    )
  ).rows.length;

const cases = pickRows(cross(Object.entries(troublesOf(server)), ['begin', 'verify']), [
  ([trouble]) => trouble,
  ([, place]) => place,
]);

for (const [[name, trouble], place] of cases) {
  t.test(`${name} at the form ${place}`, async (t) => {
    const email = freshEmail();
    await server.post('/signup', { email, password });
    const browser = await openAccountPage(server.url, email, 'factors');
    const begin = { friendly_name: 'phone', action: 'totp' };
    const add = browser.form('Add an authenticator app');
    await (place === 'begin' ? trouble(browser, add, begin) : browser.send(add, begin));
    if (place === 'verify') {
      const code = openApp(secretOf(browser)!).nextCode();
      await trouble(browser, browser.form('name="code"'), { code, action: 'verify' });
    }
    const seen = `${browser.status} ${browser.title}: ${browser.alert}`;
    if ((await countVerified(email)) === 0) {
      // Whoever has to sign in again does so, and begins again.
      const form = browser.forms.find(({ html }) => html.includes('name="address"'));
      if (form !== undefined) {
        t.equal(form.fields['address'], email, 'the address is kept');
        await browser.send(form, { address: email, password });
      }
      await browser.open('/ui/account/factors');
      t.equal(pathOf(browser), '/ui/account/factors', seen);
      await browser.send(browser.form('Add an authenticator app'), { friendly_name: 'another', action: 'totp' });
      const code = openApp(secretOf(browser)!).nextCode();
      await browser.send(browser.form('name="code"'), { code, action: 'verify' });
    }
    t.equal(await countVerified(email), 1, seen);
  });
}
