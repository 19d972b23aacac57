/** Which field an error is about, and where a person begins: without scripts. */

import { openMailFlow } from '../support/mail-flows.js';
import { PageBrowser } from '../support/page-browser.js';
import { freshEmail, password } from '../support/server.js';
import { t } from '../support/tap.js';

const server = await openMailFlow(t, {
  PAGES_ENABLED: 'true',
  EXTERNAL_GITHUB_ENABLED: 'true',
  EXTERNAL_GITHUB_CLIENT_ID: 'id',
  EXTERNAL_GITHUB_SECRET: 'secret',
  PASSWORD_MIN_LENGTH: '8',
  PASSWORD_COMMON_LIST: 'true',
  SMTP_MAX_FREQUENCY: '60s',
});

const open = (path: string) => new PageBrowser(server.url).open(path);

/** Names of the fields that are marked as wrong. */
const wrongIn = ({ html }: PageBrowser): string[] =>
  [...html.matchAll(/<input[^>]*aria-invalid="true"[^>]*>/g)].map(([input]) => /name="([^"]+)"/.exec(input)![1]!);

/** Name of the field in which typing begins. */
const firstIn = ({ html }: PageBrowser): string | undefined =>
  /name="([^"]+)"/.exec(/<input[^>]* autofocus[^>]*>/.exec(html)?.[0] ?? '')?.[1];

t.test('sign-in: typing begins where something is missing; a refusal marks both fields', async (t) => {
  const browser = await open('/ui/sign-in');
  t.equal(firstIn(browser), 'address');
  await browser.send(browser.form('/ui/sign-in'), { address: freshEmail(), password, action: 'password' });
  t.equal(browser.status, 400);
  t.same(wrongIn(browser), ['address', 'password']);
  t.equal(firstIn(browser), 'password', 'the address has been kept');
});

t.test('sign-up: only what was wrong is marked', async (t) => {
  const browser = await open('/ui/sign-up');
  const form = () => browser.form('/ui/sign-up');
  await browser.send(form(), { address: freshEmail(), password: 'short' });
  t.equal(browser.alert, 'The password is too short.');
  t.same(wrongIn(browser), ['password']);
  await browser.send(form(), { address: freshEmail(), password: 'password1' });
  t.equal(browser.alert, 'Many people use this password, so it is easy to guess. Choose another one.');
  await browser.send(form(), { address: freshEmail(), password: 'x'.repeat(2000) });
  t.equal(browser.alert, 'The password is too long.');
  t.same(wrongIn(browser), ['password']);
  await browser.send(form(), { address: 'no address', password });
  t.equal(browser.alert, 'This address is not valid.');
  t.same(wrongIn(browser), ['address']);
});

t.test('what has nothing to do with the fields marks none of them', async (t) => {
  const browser = await open('/ui/sign-in');
  const { search } = new URL(browser.form('/ui/sign-in').action);
  for (const path of ['provider', 'return']) {
    await browser.open(`/ui/${path}${search}&provider=none&error_code=access_denied`);
    t.equal(browser.status, 400, path);
    t.not(browser.alert, '');
    t.same(wrongIn(browser), []);
  }
});

t.test(
  'a second code within the interval: the page asks for the first one, for known and unknown addresses',
  async (t) => {
    const known = freshEmail();
    await server.post('/signup', { email: known, password });
    await server.post('/verify', { type: 'signup', email: known, token: (await server.nextMail(known)).code });
    for (const address of [known, freshEmail()]) {
      // Mails arrive late on a busy machine, so those of both pages are counted together.
      let most = await server.mailsTo(address);
      for (const [page, sent] of [
        ['sign-in', { action: 'code' }],
        ['recover', {}],
      ] as const) {
        most += 1;
        for (let times = 0; times < 2; times++) {
          const browser = await open(`/ui/${page}`);
          await browser.send(browser.form(`/ui/${page}`), { address, ...sent });
          t.equal(new URL(browser.url).pathname, '/ui/code', `${page}, ${times}`);
          t.match(browser.html, `If ${address} can be used here`);
          if (times === 0) continue;
          await browser.send(browser.form('value="resend"'), { action: 'resend' });
          t.equal(browser.status, 429, 'who asks for another one hears when');
        }
        t.ok((await server.mailsTo(address)) <= most);
      }
    }
  },
);

t.test('a request that is over leads to the account and not round in a circle', async (t) => {
  const browser = await open('/ui/refused?to=https%3A%2F%2Fexample.com&proof=none');
  t.equal(browser.status, 404);
  t.match(browser.html, 'This request has expired');
  t.match(browser.link('Manage your account'), '/ui/account');
});
