/** Somebody on the hosted pages who does what each page asks, whatever has happened to cookie, tab or flow. */
import type { MailFlow } from '../mail-flows.js';
import type { PageBrowser } from '../page-browser.js';
import type { Test } from '../tap.js';

export interface Person {
  readonly email: string;
  password: string;
  /** Next code of the authenticator app; absent: no second factor. */
  readonly nextAppCode?: () => string;
}

/** More pages than any way to an end has. */
const MAX_PAGES = 12;

/** Uses the pages until they lead away. Every field for the address must have it already. */
export async function goOnAs(t: Test, person: Person, server: MailFlow, browser: PageBrowser): Promise<void> {
  const seen: string[] = [];
  while (browser.onward === '') {
    seen.push(`${browser.status} ${browser.title}: ${browser.alert}`);
    if (seen.length > MAX_PAGES) throw new Error(`${person.email} is stuck: ${seen.join(' → ')}`);
    await doWhatThePageAsks(t, person, server, browser);
  }
}

async function doWhatThePageAsks(t: Test, person: Person, server: MailFlow, browser: PageBrowser): Promise<void> {
  const { forms } = browser;
  const wanted = forms.find(({ fields }) => 'address' in fields && 'password' in fields);
  if (wanted !== undefined) {
    t.equal(wanted.fields['address'], person.email, `${browser.title} has kept the address`);
    if (browser.alert.includes('password is wrong')) {
      await browser.open(browser.link('Forgot your password?'));
      t.equal(browser.form('/ui/recover').fields['address'], person.email, 'so has the page for a forgotten one');
      return;
    }
    await browser.send(wanted, { password: person.password });
    return;
  }
  const has = (part: string) => forms.find(({ html }) => html.includes(part));
  const choice = has('value="choose"');
  if (choice !== undefined) return void (await browser.send(choice, { action: 'choose' }));
  const consent = has('value="approve"');
  if (consent !== undefined) return void (await browser.send(consent, { action: 'approve' }));
  const path = new URL(browser.url).pathname;
  if (path === '/ui/mfa') {
    return void (await browser.send(has('name="code"')!, { code: person.nextAppCode!(), action: 'verify' }));
  }
  if (path === '/ui/recover') return void (await browser.send(forms[0]!));
  if (has('value="resend"') !== undefined) return enterNewCode(person, server, browser);
  const password = has('name="password"');
  if (password !== undefined) {
    person.password = `${person.password} again`;
    return void (await browser.send(password, { password: person.password, action: 'save' }));
  }
  const link = has('name="token"');
  if (link !== undefined) return void (await browser.send(link));
  const [, onward] = /<a class="button" href="([^"]+)"/.exec(browser.html) ?? [];
  if (onward === undefined) throw new Error(`No way on from ${browser.url} (${browser.status}): ${browser.html}`);
  await browser.open(onward.replaceAll('&#38;', '&'));
}

/** An earlier code may be used up, so another one is asked for: it is in the last mail, once those before it have come. */
async function enterNewCode({ email }: Person, server: MailFlow, browser: PageBrowser): Promise<void> {
  const before = await server.mailsTo(email);
  await browser.send(browser.form('value="resend"'), { action: 'resend' });
  const form = browser.forms.find(({ html }) => html.includes('value="verify"'));
  if (browser.alert !== '' || form === undefined) return;
  if ((await server.mailsTo(email)) <= before)
    throw new Error(`No mail reaches ${email}, which ${browser.url} has promised.`);
  const mails = (await server.smtp.accepted()).filter((mail) => mail.to?.some(({ address }) => address === email));
  await browser.send(form, { code: /^\d{6}$/m.exec(mails.at(-1)!.text ?? '')![0], action: 'verify' });
}
