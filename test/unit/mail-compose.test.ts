import { composeMail } from '../../src/server/mail/compose.js';
import { buildConfirmationUrl } from '../../src/server/mail/confirmation-url.js';
import { describeReply } from '../../src/server/mail/mail-error.js';
import { htmlToText } from '../../src/server/mail/plain-text.js';
import { createTemplateSource } from '../../src/server/mail/template-source.js';
import type { MailKind } from '../../src/server/message-kinds.js';
import { listeningLog, mailConfig, mailTo } from '../support/mailer.js';
import { t } from '../support/tap.js';
import { assertQuick } from '../support/worst-case.js';

const config = (settings: Record<string, string> = {}) => mailConfig('postgres://unused', 25, settings);
const message = mailTo('ada@example.com', { linkToken: 'abc', redirectTo: 'https://app.example/welcome' });
const query = '?token=abc&type=recovery&redirect_to=https://app.example/welcome';

t.test('links are resolved as in RFC 3986', async (t) => {
  const cases: [base: string, path: string, link: string][] = [
    ['http://localhost:9999', '/verify', `http://localhost:9999/verify${query}`],
    ['https://x.example/auth/v1', '/verify', `https://x.example/verify${query}`],
    ['https://x.example/auth/v1', '/auth/v1/verify', `https://x.example/auth/v1/verify${query}`],
    ['https://x.example/auth/v1/', 'verify', `https://x.example/auth/v1/verify${query}`],
    ['https://x.example', 'https://app.example/confirm', `https://app.example/confirm${query}`],
    ['https://x.example', '/verify?a=b#top', `https://x.example/verify${query}#top`],
  ];
  for (const [base, path, link] of cases) {
    const settings = config({ API_EXTERNAL_URL: base, MAILER_URLPATHS_RECOVERY: path });
    t.equal(buildConfirmationUrl(settings, message), link, `${base} and ${path}`);
  }
});

t.test('the path of each kind, and no link without a token', async (t) => {
  const settings = config({
    MAILER_URLPATHS_INVITE: '/i',
    MAILER_URLPATHS_CONFIRMATION: '/c',
    MAILER_URLPATHS_RECOVERY: '/r',
    MAILER_URLPATHS_EMAIL_CHANGE: '/e',
  });
  const path = (kind: MailKind) => new URL(buildConfirmationUrl(settings, { ...message, kind })!).pathname;
  const kinds: MailKind[] = ['invite', 'confirmation', 'recovery', 'magic_link', 'email_change'];
  t.same(kinds.map(path), ['/i', '/c', '/r', '/r', '/e']);
  t.equal(buildConfirmationUrl(settings, { ...message, linkToken: null }), null);
});

t.test('the redirect target is unchanged unless it would end its parameter', async (t) => {
  const redirect = (redirectTo: string) =>
    /redirect_to=(.*)$/.exec(buildConfirmationUrl(config(), { ...message, redirectTo })!)?.[1];
  t.equal(redirect('https://app.example/a?b'), 'https://app.example/a?b');
  t.equal(redirect('com.example.app://cb/%20x'), 'com.example.app://cb/%20x');
  t.equal(redirect('https://app.example/?a=b'), 'https%3A%2F%2Fapp.example%2F%3Fa%3Db');
  t.equal(redirect('https://app.example/a&b c'), 'https%3A%2F%2Fapp.example%2Fa%26b+c');
  t.equal(redirect('https://app.example/#x'), 'https%3A%2F%2Fapp.example%2F%23x');
  t.equal(redirect('https://app.example/"<>'), 'https%3A%2F%2Fapp.example%2F%22%3C%3E');
});

t.test('built-in mails: heading, one sentence, link and code, in HTML and text', async (t) => {
  const log = listeningLog();
  const settings = config({ SITE_URL: 'https://app.example' });
  const templates = createTemplateSource(settings, log);
  const subjects: Partial<Record<MailKind, string>> = {
    confirmation: 'Confirm Your Signup',
    invite: 'You have been invited',
    recovery: 'Reset Your Password',
    magic_link: 'Your Magic Link',
    email_change: 'Confirm Email Change',
    reauthentication: 'Confirm Reauthentication',
  };
  for (const kind of Object.keys(subjects) as MailKind[]) {
    const hasLink = kind !== 'reauthentication';
    const mail = await composeMail(
      { config: settings, log, templates },
      { ...message, kind, newEmail: 'new@example.com', ...(hasLink ? {} : { linkToken: null, linkType: null }) },
    );
    t.equal(mail.subject, subjects[kind]);
    t.match(mail.html, /<h2[^>]*>[^<]+<\/h2>\n<p[^>]*>[^<]+<\/p>/, kind);
    t.match(mail.html, />314159<\/p>/);
    t.equal(/<a href="http:\/\/localhost:9999\/verify\?token=abc&amp;type=/.test(mail.html), hasLink);
    t.equal(/^http:\/\/localhost:9999\/verify\?token=abc&type=\S+$/m.test(mail.text), hasLink);
    t.match(mail.text, /^314159$/m, 'the code on its own line');
    t.notMatch(mail.text, /[<>]|&amp;|max-width/);
    if (kind === 'invite') t.match(mail.text, 'https://app.example');
    if (kind === 'email_change') t.match(mail.text, /ada@example\.com to new@example\.com/);
  }
  t.same(log.lines, []);
});

t.test('an unusable subject falls back to the default', async (t) => {
  const log = listeningLog();
  const settings = config({ MAILER_SUBJECTS_RECOVERY: '{{ if }}' });
  const mail = await composeMail({ config: settings, log, templates: createTemplateSource(settings, log) }, message);
  t.equal(mail.subject, 'Reset Your Password');
  t.match(log.lines, [{ level: 'warn', mail_type: 'recovery' }]);
});

t.test('HTML as text', async (t) => {
  const cases: [html: string, text: string][] = [
    ['<h1>A</h1><p>b<br>c</p>', 'A\n\nb\nc\n'],
    [
      '<p>Go <a href="https://a.example/?a=1&amp;b=2">there</a> now</p>',
      'Go there:\nhttps://a.example/?a=1&b=2\nnow\n',
    ],
    ['<a href="https://a.example">https://a.example</a>', 'https://a.example\n'],
    ['<a href="javascript:x">a</a><a name=x>b</a>', 'ab\n'],
    ['<style>p{}</style><script>x</script><head><title>t</title></head>a<!-- > b -->c', 'ac\n'],
    ['&lt;b&gt; &amp;amp; &#34;&#x41;&#0;&bogus; a&nbsp;b', '<b> &amp; "A\ufffd&bogus; a b\n'],
    ['<p title=">">a</p>\n\n\n<p>\n b \n c </p>', 'a\n\nb c\n'],
    ['<table><tr><td>a</td><td>b</td></tr></table>', 'a b\n'],
    ['a < b', 'a < b\n'],
    ['', '\n'],
  ];
  for (const [html, text] of cases) t.equal(htmlToText(html), text, html);
  const worst = [
    '<'.repeat(50_000),
    '<a href="'.repeat(20_000),
    '<!--'.repeat(50_000),
    '&'.repeat(50_000),
    '<p>'.repeat(10_000),
  ];
  assertQuick(t, 'linear', 2000, () => {
    for (const html of worst) htmlToText(html);
  });
});

t.test('replies of mail servers are safe to log', async (t) => {
  t.equal(describeReply('550-5.7.1 no\r\n550 5.7.1 way\u001b[31m'), '550-5.7.1 no / 550 5.7.1 way\\u001b[31m');
  t.equal(describeReply('554 spam: 314159 https://a.example/verify?token=x'), '554 spam: [number] [link]');
  t.equal(describeReply(`554 ${'ab12'.repeat(14)} from 192.0.2.1`), '554 [token] from 192.0.2.1');
  t.ok(describeReply('x'.repeat(9999)).length <= 500);
});
