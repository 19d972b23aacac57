import fc from 'fast-check';
import { compileRedirects } from '../../src/server/redirects/policy.js';
import { anyCharacter, holds } from '../support/properties.js';
import { t } from '../support/tap.js';
import { words } from '../support/words.js';

const policy = compileRedirects({
  siteUrl: 'https://app.example.com/welcome',
  uriAllowList: words(`
    https://*.preview.example.net/** https://shop.example.org/callback https://shop.example.org/public/**
    http://localhost:3000/* http://127.0.0.1:*/** https://[::1]:8443/** https://*.*.*.*/numbers myapp://**
    com.example.app:/oauth
  `),
});

const good = [
  // The host of SITE_URL: any port, any path, with or without a fragment.
  ...words(`
    https://app.example.com https://app.example.com/ https://app.example.com/a/b.html?x=1&y=https://evil.example#/hash/#
    https://app.example.com:8443/cb https://app.example.com:443/cb https://app.example.com?next=//evil.example
    https://app.example.com#@evil.example https://app.example.com/%2e%2e/%252e%252e//evil.example
    https://app.example.com//evil.example/%5c%40 HTTPS://APP.EXAMPLE.COM/cb
  `),
  // The list.
  ...words(`
    https://one.preview.example.net/cb https://one.preview.example.net/a/b?c=d.e#f https://shop.example.org/callback
    https://shop.example.org/callback#state https://shop.example.org:443/callback https://shop.example.org/public/x/../y
    http://localhost:3000/path?param=1 http://127.0.0.1:5173/cb http://127.0.0.1/cb https://[::1]:8443/cb
    myapp://callback/v2 myapp:///callback MyApp://callback?x=1#y com.example.app:/oauth
  `),
];

const hostile = [
  // Another scheme, or a step down.
  ...words(`
    http://app.example.com/cb HTTP://app.example.com/cb ftp://app.example.com/cb ws://app.example.com/
    javascript:alert(1)//https://app.example.com javascript://app.example.com/%0aalert(1)
    JaVaScRiPt://app.example.com/%0aalert(1) data:text/html,<script>alert(1)</script> vbscript:msgbox(1)
    file://app.example.com/etc/passwd blob:https://app.example.com/1 about:blank
  `),
  // No scheme, or half of one.
  ...words(`
    / /cb //app.example.com //evil.example ///evil.example app.example.com app.example.com:443/cb https: https://
    https:app.example.com https:/app.example.com https:///app.example.com https:////evil.example ://app.example.com
  `),
  '',
  // Backslashes, white space, control and unseen characters.
  ...words(`
    https://app.example.com\\@evil.example https:\\\\app.example.com /\\evil.example
    https://evil.example\\.app.example.com https://app.exam\tple.com https://app.example.com/\u0000
    https://app.example.com/\u007f https://app.example.com/\u00a0 https://app.example.com/\u2028
    https://app.example.com/\u202egnp https://app.example.com/\u200b https://app.example.com/\ud800
    \ufeffhttps://app.example.com
  `),
  'https://app.example.com /cb',
  ' https://app.example.com',
  'https://app.example.com\n',
  'https://app.example.com/\r\nSet-Cookie:a=b',
  // Userinfo.
  ...words(`
    https://app.example.com@evil.example https://app.example.com:80@evil.example
    https://app.example.com:443@app.example.com/ https://user@app.example.com/ https://@app.example.com/
    https://app.example.com%40evil.example/ myapp://user@callback
  `),
  // Neighbours of the host.
  ...words(`
    https://app.example.com.evil.example https://evilapp.example.com https://app.example.comevil.example
    https://example.com https://xapp.example.com https://app.example.com. https://app.example.com../
    https://.app.example.com https://app..example.com https://app.example.com:/ https://app.example.com:0443/
    https://app.example.com:65536/ https://app.example.com:x/ https://evil.example#.app.example.com
    https://evil.example?.app.example.com https://evil.example/.app.example.com https://evil.example#@app.example.com/
    https://evil.example?https://app.example.com
  `),
  // The same host in other letters.
  ...words(`
    https://app%2eexample.com https://%61pp.example.com https://app%252eexample.com https://app．example．com
    https://app。example。com https://ａｐｐ.example.com https://app.exam\u00adple.com https://аpp.example.com
    https://app.example.com%00.evil.example https://app.example.com%2f.evil.example
    https://app.example.com%23.evil.example https://[app.example.com]/
  `),
  // Addresses written in other ways, or matched by a wildcard only.
  ...words(`
    http://2130706433:3000/ http://0x7f000001:3000/ http://0177.0.0.1:3000/ http://127.1:3000/ http://127.0.0.1.:3000/
    http://①②⑦.0.0.1/ https://1.2.3.4/numbers https://[0:0:0:0:0:0:0:1]:8443/cb https://[::ffff:7f00:1]:8443/cb
    myapp://12345
  `),
  // Close to the list.
  ...words(`
    https://preview.example.net/cb https://a.b.preview.example.net/cb https://.preview.example.net/cb
    https://-.preview.example.net/cb https://evil.example#.preview.example.net/
    https://evil.example/.preview.example.net/ https://evil.example?.preview.example.net/
    https://one.preview.example.net:8443/cb http://one.preview.example.net/cb
    https://one.preview.example.net.evil.example/cb https://shop.example.org/callback/
    https://shop.example.org/callbacks https://shop.example.org/Callback https://shop.example.org/callback?x=1
    https://shop.example.org/public/../admin https://shop.example.org/public/%2e%2e/admin
    https://shop.example.org/public/%2E%2e/admin https://shop.example.org/public/..%2fadmin
    https://shop.example.org/public/%252e%252e%252fadmin https://shop.example.org/public/..%5cadmin
    http://localhost:3000 http://localhost:3000/a/b http://localhost:30001/a https://localhost:3000/a
    http://localhost.evil.example:3000/a http://127.0.0.2:5173/cb myapp:callback myapps://callback
    com.example.app:/oauth2 com.example.app://oauth
  `),
  // Too long.
  `https://app.example.com/${'a'.repeat(8192)}`,
];

/** A name of ASCII: the protocol between test and runner is lines of text. */
const asAscii = (text: string): string =>
  text.replace(/[^\x21-\x22\x24-\x7e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

t.test('SEC-33: permitted targets', async (t) => {
  for (const candidate of good) t.match(policy.check(candidate), { isAllowed: true, url: candidate }, candidate);
});

t.test('SEC-33: rejected targets, each with a reason for the log', async (t) => {
  for (const candidate of hostile) {
    const name = `"${asAscii(candidate).slice(0, 80)}"`;
    const verdict = policy.check(candidate);
    t.equal(verdict.isAllowed, false, name);
    t.match(verdict.reason, /^[a-z][\x20-\x7e…]{10,300}$/, name);
    t.equal(policy.choose([candidate]).url, 'https://app.example.com/welcome', name);
  }
});

t.test('SEC-33: non-ASCII characters are percent-encoded', async (t) => {
  t.match(policy.check('https://app.example.com/grüße?q=日本#ß'), {
    isAllowed: true,
    url: 'https://app.example.com/gr%C3%BC%C3%9Fe?q=%E6%97%A5%E6%9C%AC#%C3%9F',
  });
});

t.test('SEC-33: on http://localhost there is no step down, and SITE_URL may be an app', async (t) => {
  const local = compileRedirects({ siteUrl: 'https://localhost:3000', uriAllowList: [] });
  t.equal(local.check('http://localhost:5173/cb').isAllowed, true);
  t.equal(local.check('http://127.0.0.1:3000/cb').isAllowed, false, 'another name for it is another host');
  const insecure = compileRedirects({ siteUrl: 'http://app.example.com', uriAllowList: [] });
  t.equal(insecure.check('https://app.example.com/cb').isAllowed, true);
  const app = compileRedirects({ siteUrl: 'com.example.app://callback', uriAllowList: [] });
  t.equal(app.check('com.example.app://callback/done').isAllowed, true);
  t.equal(app.check('com.example.other://callback/done').isAllowed, false);
  t.equal(app.check('https://callback/done').isAllowed, false);
  const stepDown = compileRedirects({ siteUrl: 'https://a.example', uriAllowList: ['http://a.example/**'] });
  t.equal(stepDown.check('http://a.example/x').isAllowed, true, 'unless the list permits it');
});

t.test('SEC-33: any combination leads to a permitted host or to SITE_URL', async (t) => {
  const pieces = [
    ...[
      'https://',
      'http://',
      '//',
      '/',
      '\\',
      ':',
      '@',
      '#',
      '?',
      '.',
      '%2e',
      '%40',
      '%5c',
      '%00',
      '．',
      '。',
      '\t',
      ' ',
    ],
    ...['app.example.com', 'APP', 'evil.example', '.preview.example.net', 'one', '127.0.0.1', '2130706433', '[::1]'],
    ...[':443', ':80', ':3000', 'myapp', 'javascript', 'user', '..', '&', '=', '\u202e', '\u0000', 'ß', '1.2.3.4'],
  ];
  const candidate = fc.oneof(
    fc.array(fc.constantFrom(...pieces), { maxLength: 9 }).map((parts) => parts.join('')),
    fc.array(fc.constantFrom(...pieces), { maxLength: 6 }).map((parts) => `https://app.example.com${parts.join('')}`),
    fc.string({ unit: anyCharacter, maxLength: 40 }),
    fc.webUrl(),
  );
  holds(
    t,
    fc.property(candidate, (text) => {
      const verdict = policy.check(text);
      const { url, rejected } = policy.choose([null, undefined, '', text]);
      if (!verdict.isAllowed) return url === 'https://app.example.com/welcome' && rejected.length === (text ? 1 : 0);
      // A browser's reading of what is sent.
      const seen = new URL(url);
      const isPlain = /^[\x21-\x7e]+$/.test(url) && seen.username === '' && seen.password === '';
      const isPermitted = /^(app\.example\.com|[^.]+\.preview\.example\.net|shop\.example\.org)$/.test(seen.hostname)
        ? seen.protocol === 'https:'
        : /^(http:\/\/(localhost|127\.0\.0\.1)|https:\/\/\[::1\])$/.test(`${seen.protocol}//${seen.hostname}`) ||
          /^(myapp|com\.example\.app):$/.test(seen.protocol);
      return verdict.url === url && rejected.length === 0 && isPlain && isPermitted;
    }),
    5000,
  );
});
