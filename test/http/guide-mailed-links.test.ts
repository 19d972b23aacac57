/** docs/guides/mailed-links.md: what programs that open links do to each kind of mail, and its templates. */
import { createHash, randomBytes } from 'node:crypto';
import { parseEnvFile } from '../../src/server/config/env-file.js';
import { type MailFlow, openMailFlow, type ReadMail } from '../support/mail-flows.js';
import { freshEmail } from '../support/server.js';
import { readSource } from '../support/source-tree.js';
import { type Test, t } from '../support/tap.js';

const verify = ({ post }: MailFlow, mail: ReadMail) =>
  post('/verify', { type: 'email', email: mail.to, token: mail.code });

async function ask({ post, nextMail }: MailFlow, more: object = {}): Promise<ReadMail> {
  const email = freshEmail();
  const { status } = await post('/otp', { email, ...more });
  if (status !== 200) throw new Error(`POST /otp: ${status}`);
  return nextMail(email);
}

/** As programs do that look at mails. */
async function scan({ follow }: MailFlow, link: URL): Promise<void> {
  await follow(link, { method: 'HEAD' });
  for (const purpose of ['prefetch', 'prefetch;prerender']) await follow(link, { headers: { 'sec-purpose': purpose } });
}

t.test('the built-in mail: announced visits are harmless, a plain one uses link and code up', async (t) => {
  const flow = await openMailFlow(t);
  const mail = await ask(flow);
  await scan(flow, mail.link!);
  t.equal((await verify(flow, mail)).status, 200, 'the code works after announced visits');
  const other = await ask(flow);
  await flow.follow(other.link!);
  t.match(await verify(flow, other), { status: 403, body: { error_code: 'otp_expired' } });
});

t.test('AUTH_MAILER_CONFIRM_PAGE: a visit shows a button', async (t) => {
  const flow = await openMailFlow(t, { MAILER_CONFIRM_PAGE: 'true' });
  const [byButton, byCode] = [await ask(flow), await ask(flow)];
  for (const { link } of [byButton, byCode]) {
    await scan(flow, link!);
    for (let visit = 0; visit < 2; visit++) t.match((await flow.follow(link!)).text, '<button');
  }
  t.equal((await verify(flow, byCode)).status, 200);
  const form = new URLSearchParams(byButton.link!.searchParams);
  const pressed = await flow.follow(new URL('/verify/confirm', byButton.link), { method: 'POST', body: form });
  t.match(pressed, { status: 303 });
  t.ok(pressed.fragment.has('access_token'));
});

t.test('the templates of the guide lead to a page of the application', async (t) => {
  const { values, faults } = parseEnvFile(readSource('examples/mailed-links/latchkey.env').text, {});
  t.same(faults, []);
  const settings = Object.fromEntries([...values].map(([name, value]) => [name.replace('AUTH_', ''), value]));
  const flow = await openMailFlow(t, { ...settings, SITE_URL: 'https://app.example.com' });
  const verifier = randomBytes(32).toString('base64url');
  const pkce = {
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 's256',
  };
  for (const more of [{}, pkce]) {
    // For a new address, and for one that has an account.
    const first = await ask(flow, more);
    await testLink(t, flow, first);
    await flow.post('/otp', { email: first.to, ...more });
    const second = await flow.nextMail(first.to);
    await testLink(t, flow, second);
    await flow.post('/otp', { email: first.to, ...more });
    t.equal((await verify(flow, await flow.nextMail(first.to))).status, 200, 'by the code');
  }
});

async function testLink(t: Test, flow: MailFlow, { html }: ReadMail): Promise<void> {
  const links = [...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => new URL(href!.replaceAll('&amp;', '&')));
  t.match(
    links.map(({ origin, pathname }) => origin + pathname),
    ['https://app.example.com/confirm.html'],
  );
  // As confirm.html does.
  const proof = Object.fromEntries(links[0]!.searchParams);
  const answer = await flow.post('/verify', proof);
  t.equal(answer.status, 200, JSON.stringify(answer.body));
  t.ok(answer.body.access_token);
  t.equal((await flow.post('/verify', proof)).status, 403, 'once');
}
