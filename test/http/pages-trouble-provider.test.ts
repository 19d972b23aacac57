/**
 * The return from a provider to the hosted pages, with something going wrong on the way: a lost cookie, an expired flow, a
 * double click at the provider, a second tab. Each goes on to the application.
 */
import { createHash } from 'node:crypto';
import { openFakeProviders } from '../support/fake-providers/index.js';
import { PageBrowser } from '../support/page-browser.js';
import { freshEmail, openTestServer } from '../support/server.js';
import { t } from '../support/tap.js';

const providers = await openFakeProviders(t);
const server = await openTestServer(t, {
  ...providers.settings(['github']),
  PAGES_ENABLED: 'true',
  RATE_LIMIT_AUTHORIZE: '100000',
});
const TARGET = 'http://localhost:3000/home';
const VERIFIER = 'v'.repeat(43);
/** More pages than any way to the end has. */
const MAX_PAGES = 8;

async function begin(): Promise<PageBrowser> {
  const query = new URLSearchParams({
    provider: 'custom:hosted',
    redirect_to: TARGET,
    code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    code_challenge_method: 's256',
  });
  return new PageBrowser(server.url).open(`/authorize?${query}`);
}

/** Goes to the provider and signs in there. @returns the address that leads back */
async function signInThere(browser: PageBrowser): Promise<string> {
  await browser.open(browser.link('Continue with GitHub'));
  const { pathname, search } = new URL((await providers.signIn(browser.url)).url);
  return server.url + pathname + search;
}

/** The first page of the flow under test. */
let begunAt = '';

const expireFlows = () =>
  server.database.admin.query(
    "update page_flows set created_at = now() - interval '25 hours' where created_at > now() - interval '1 hour'",
  );

const troubles: Readonly<Record<string, (browser: PageBrowser, back: string) => Promise<unknown>>> = {
  'a lost cookie': (browser, back) => {
    browser.cookies.clear();
    return browser.open(back);
  },
  'an expired flow': async (browser, back) => {
    await expireFlows();
    return browser.open(back);
  },
  'a double click there': async (browser, back) => {
    // What the browser shows is the answer to the second request, whichever the server takes first.
    const other = new PageBrowser(server.url, browser.cookies);
    const first = other.open(back);
    await browser.open(back);
    await first;
  },
  'a second tab that is quicker': async (browser, back) => {
    const other = await new PageBrowser(server.url, browser.cookies).open(begunAt);
    await other.open(await signInThere(other));
    if (other.onward === '') throw new Error(`The other tab ends at ${other.url}: ${other.alert}`);
    return browser.open(back);
  },
};

for (const [name, trouble] of Object.entries(troubles)) {
  t.test(`back from a provider, with ${name}`, async (t) => {
    const email = freshEmail();
    providers.person('github', { email, subject: email });
    const browser = await begin();
    begunAt = browser.url;
    await trouble(browser, await signInThere(browser));
    const seen: string[] = [];
    while (browser.onward === '') {
      seen.push(`${browser.status} ${new URL(browser.url).pathname} ${browser.title}: ${browser.alert}`);
      if (seen.length > MAX_PAGES) throw new Error(`stuck: ${seen.join(' → ')}`);
      const choice = browser.forms.find(({ html }) => html.includes('value="choose"'));
      if (choice !== undefined) await browser.send(choice, { action: 'choose' });
      else if (browser.html.includes('Continue with GitHub')) await browser.open(await signInThere(browser));
      else await browser.open(/<a class="button" href="([^"]+)"/.exec(browser.html)![1]!.replaceAll('&#38;', '&'));
    }
    const onward = new URL(browser.onward);
    t.comment(seen.join(' → '));
    if (onward.searchParams.has('code')) {
      t.equal(onward.origin + onward.pathname, TARGET);
      const auth_code = onward.searchParams.get('code')!;
      const answer = await server.post('/token?grant_type=pkce', { auth_code, code_verifier: VERIFIER });
      t.match(answer, { status: 200, body: { user: { email } } });
    } else {
      t.equal(onward.origin, new URL(TARGET).origin, 'without its flow it ends at SITE_URL');
    }
    const { rows } = await server.database.admin.query('select count(*)::int as count from users where email = $1', [
      email,
    ]);
    t.equal(rows[0].count, 1, 'one account');
  });
}
