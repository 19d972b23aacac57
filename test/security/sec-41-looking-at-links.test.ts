import { openMailFlow } from '../support/mail-flows.js';
import { freshEmail, password } from '../support/server.js';
import { t } from '../support/tap.js';

const target = 'https://app.example.com/welcome';

t.test('SEC-41: prefetching clients do not consume a link', async (t) => {
  const flow = await openMailFlow(t);
  const { post } = flow;
  const links: Record<string, () => Promise<URL>> = {
    signup: async () => {
      const email = freshEmail();
      await post('/signup', { email, password });
      return (await flow.nextMail(email)).link!;
    },
    recovery: async () => {
      const email = freshEmail();
      await post('/signup', { email, password });
      await flow.follow((await flow.nextMail(email)).link!);
      await post('/recover', { email });
      return (await flow.nextMail(email)).link!;
    },
  };
  for (const [type, ask] of Object.entries(links)) {
    const link = await ask();
    for (let times = 0; times < 3; times++) {
      const looked = await flow.follow(link, { method: 'HEAD' });
      t.equal(looked.status, 405, 'HEAD');
      t.equal(looked.location, undefined);
    }
    t.equal((await flow.follow(link, { method: 'OPTIONS' })).status, 405, 'OPTIONS');
    const looks: Record<string, string>[] = [
      { purpose: 'prefetch' },
      { 'sec-purpose': 'prefetch;prerender' },
      { 'x-moz': 'prefetch' },
    ];
    for (const headers of looks) {
      const page = await flow.follow(link, { headers });
      t.equal(page.status, 200);
      t.match(page.text, /<button type="submit"/);
    }
    t.equal((await flow.follow(link)).fragment.get('type'), type, 'the person still gets in');
    t.equal((await flow.follow(link)).fragment.get('error_code'), 'otp_expired', 'and once only');
  }
});

t.test('SEC-41: POST /verify accepts the token of the link, for pages with a button', async (t) => {
  const flow = await openMailFlow(t);
  const email = freshEmail();
  await flow.post('/signup', { email, password });
  const token_hash = (await flow.nextMail(email)).link!.searchParams.get('token');
  const redeem = () => flow.post('/verify', { type: 'signup', token_hash });
  t.match(await redeem(), { status: 200, body: { access_token: String, user: { email } } });
  t.equal((await redeem()).status, 403, 'once');
});

t.test('SEC-41: AUTH_MAILER_CONFIRM_PAGE: the link shows a page, its button redeems', async (t) => {
  const flow = await openMailFlow(t, { MAILER_CONFIRM_PAGE: 'true' });
  const email = freshEmail();
  await flow.post(`/signup?redirect_to=${encodeURIComponent(target)}`, { email, password });
  const { link } = await flow.nextMail(email);
  for (let times = 0; times < 3; times++) t.equal((await flow.follow(link!)).status, 200, 'a GET only shows');
  const page = await flow.follow(link!);
  t.match(page.text, /action="verify\/confirm"/);
  const fields = new URLSearchParams();
  for (const [, name, value] of page.text.matchAll(/name="([a-z_]+)" value="([^"]*)"/g))
    fields.set(name!, value!.replaceAll('&amp;', '&'));
  const pressed = await flow.follow(new URL('/verify/confirm', link!), { method: 'POST', body: fields });
  t.equal(pressed.status, 303);
  t.equal(pressed.location!.href.split('#')[0], target);
  t.equal(pressed.fragment.get('type'), 'signup');
});
