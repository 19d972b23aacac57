import { fill, openMailbox } from '../support/mailbox-page.js';
import { t } from '../support/tap.js';

t.test('messages.json: newest first, by recipient, and 304 without a change', async (t) => {
  const { mailbox, url } = await openMailbox(t);
  const get = (query = '', headers: Record<string, string> = {}) =>
    fetch(`${url}/dev/mailbox/messages.json${query}`, { headers });
  t.same(await (await get()).json(), { messages: [] });
  fill(mailbox, url);
  const answer = await get();
  t.match(await answer.json(), {
    messages: [
      { id: '3', kind: 'mail', to: 'grace@example.com', codes: ['739204'], links: [] },
      { id: '2', kind: 'sms', to: '15555550100', codes: ['482913'], html: null },
      { id: '1', kind: 'mail', subject: 'Confirm Your Signup', links: [`${url}/verify?token=0f3a&type=signup`] },
    ],
  });
  const { messages } = (await (await get('?to=ada@example.com')).json()) as { messages: { id: string }[] };
  t.same(
    messages.map(({ id }) => id),
    ['1'],
  );
  const tag = answer.headers.get('etag')!;
  t.equal((await get('', { 'If-None-Match': tag })).status, 304);
  const head = await fetch(`${url}/dev/mailbox/messages.json`, { method: 'HEAD' });
  t.same([head.status, head.headers.get('etag'), await head.text()], [200, tag, '']);
  mailbox.addSms({ to: '1', text: 'x' });
  t.equal((await get('', { 'If-None-Match': tag })).status, 200);

  t.equal((await fetch(`${url}/dev/mailbox`, { method: 'DELETE' })).status, 204);
  t.same(await (await get()).json(), { messages: [] });
});

t.test('the page has a strict policy and escapes messages', async (t) => {
  const { mailbox, url } = await openMailbox(t);
  const attack = `"><script>alert(1)</script><img src=x onerror=alert(1)>`;
  mailbox.addMail({
    to: attack,
    subject: attack,
    html: `<a href="https://a.example/?${attack}">x</a>`,
    text: attack,
    headers: { [attack]: attack },
  });
  const answer = await fetch(`${url}/dev/mailbox`);
  const page = await answer.text();
  const policy = answer.headers.get('content-security-policy')!;
  const nonce = /'nonce-([^']+)'/.exec(policy)![1]!;
  t.match(policy, /^default-src 'none'; script-src 'nonce-[^']{20,}'; style-src 'nonce-[^']+'; /);
  t.notMatch(policy, /unsafe/);
  t.equal(page.match(/<script/g)?.length, 1);
  t.ok(page.includes(`<script nonce="${nonce}">`));
  t.notMatch(page, /<img|"><script>alert/);
  t.notMatch(page, / style=| on[a-z]+="/);
  t.not((await fetch(`${url}/dev/mailbox`)).headers.get('content-security-policy'), policy, 'a nonce is used once');

  const body = await fetch(`${url}/dev/mailbox/1/body.html`);
  t.match(
    body.headers.get('content-security-policy'),
    /^sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; /,
  );
  t.equal((await fetch(`${url}/dev/mailbox/99/body.html`)).status, 404);
});

t.test('SEC-97: other web pages get nothing, by any name of this machine', async (t) => {
  const { mailbox, url } = await openMailbox(t);
  fill(mailbox, url);
  const { request } = await import('node:http');
  const ask = (path: string, headers: Record<string, string>, method = 'GET') =>
    new Promise<number>((resolve, reject) => {
      request(url + path, { method, headers }, (answer) => resolve(answer.resume().statusCode!))
        .on('error', reject)
        .end();
    });
  const own = { 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Mode': 'cors' };
  for (const Host of ['localhost:8081', '127.0.0.1:8081', '[::1]:8081', 'auth.localhost']) {
    t.equal(await ask('/dev/mailbox/messages.json', { ...own, Host }), 200, Host);
  }
  const foreign: Record<string, string>[] = [
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
    { Origin: 'https://evil.example' },
    { Origin: 'null' },
    { ...own, Host: 'evil.example:8081' },
    { ...own, Host: 'localhost.evil.example' },
    { ...own, Host: '127.0.0.1.evil.example' },
    { 'Sec-Fetch-Site': 'none', Host: 'evil.example' },
    // A browser sends no Sec-Fetch-Site to a name without TLS, and no Origin with a GET to its own.
    { Host: 'evil.example:8081' },
    { Host: 'localhost.evil.example' },
    { Host: 'evil.example', Origin: 'http://evil.example' },
    { Host: 'localhost:8081', Origin: 'http://evil.example' },
  ];
  for (const headers of foreign) {
    for (const path of ['/dev/mailbox', '/dev/mailbox/messages.json', '/dev/mailbox/1/body.html']) {
      t.equal(await ask(path, headers), 403, `${path} ${JSON.stringify(headers)}`);
    }
    t.equal(await ask('/dev/mailbox', headers, 'DELETE'), 403);
  }
  t.equal(mailbox.list().length, 3);
  // An attacker cannot control the operator's own name for the machine; its page has no Sec-Fetch-Site.
  for (const [method, path, status] of [
    ['GET', '/dev/mailbox/messages.json', 200],
    ['DELETE', '/dev/mailbox', 204],
  ] as const) {
    const named = { Host: 'auth.test:8081', Origin: 'http://auth.test:8081' };
    t.equal(await ask(path, named, method), status);
  }
  const followed = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate' };
  t.equal(await ask('/dev/mailbox', followed), 200, 'any page may link to the mailbox');
  t.equal(await ask('/dev/mailbox/messages.json', followed), 403);
});
