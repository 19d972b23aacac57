import { findCodes, findLinks } from '../../src/dev/mailbox/find.js';
import { CAPACITY, createMailbox } from '../../src/dev/mailbox/mailbox.js';
import { html, type Markup } from '../../src/html.js';
import { t } from '../support/tap.js';

t.test('keeps the last 200, newest first', async (t) => {
  const mailbox = createMailbox();
  const revisions = new Set([mailbox.revision]);
  for (let i = 1; i <= CAPACITY + 5; i++) {
    mailbox.addSms({ to: '15555550100', text: `Your code is ${100000 + i}` });
    revisions.add(mailbox.revision);
  }
  t.equal(revisions.size, CAPACITY + 6, 'every change has a revision');
  t.equal(mailbox.list().length, CAPACITY);
  t.equal(mailbox.list()[0]?.text, 'Your code is 100205');
  t.equal(mailbox.find('6')?.text, 'Your code is 100006');
  t.equal(mailbox.find('5'), undefined, 'the oldest is dropped');
  mailbox.clear();
  t.same(mailbox.list(), []);
  t.notOk(revisions.has(mailbox.revision));
  t.not(createMailbox().revision, createMailbox().revision, 'another start, another revision');
});

t.test('finds messages by recipient', async (t) => {
  const mailbox = createMailbox();
  mailbox.addMail({ to: 'Ada@example.com', subject: 's', html: '<p>1</p>', text: '1' });
  mailbox.addMail({ to: 'user+tag@example.com', subject: 's', text: '2' });
  mailbox.addSms({ to: '15555550100', text: '3' });
  t.match(mailbox.list('ada@EXAMPLE.com'), [{ text: '1' }]);
  t.match(mailbox.list('user+tag@example.com'), [{ text: '2' }]);
  for (const to of ['15555550100', '+15555550100', ' 15555550100']) t.match(mailbox.list(to), [{ text: '3' }], to);
  t.same(mailbox.list('example.com'), []);
});

t.test('codes: separate digits, not those of links, numbers and phones', async (t) => {
  t.same(findCodes('Your code is 123456.'), ['123456']);
  t.same(findCodes('123456 or 0987654321, again 123456'), ['123456', '0987654321']);
  t.same(findCodes('12345 12345678901 +15555550100 a1234567 1234567-8 https://x.example/?t=123456&u=654321'), []);
  const mailbox = createMailbox();
  mailbox.addSms({ to: '1', text: 'Code 999999', code: '12ab' });
  t.same(mailbox.list()[0]?.codes, ['12ab'], 'a given code is used');
});

t.test('links: http and https only, with entities decoded, each once', async (t) => {
  const mail = `<a class="x" href="https://a.example/?x=1&amp;y=%202">one</a><A HREF='http://b.example'>two</A>
    <a href=https://c.example>3</a><a href="javascript:alert(1)">4</a><a href="&#106;avascript:alert(1)">5</a>
    <a href="https://">6</a><a href="/relative">7</a><a href="https://a.example/?x=1&amp;y=%202">again</a>`;
  t.same(findLinks(mail, 'see https://d.example/x. Or (http://b.example)'), [
    'https://a.example/?x=1&y=%202',
    'http://b.example',
    'https://c.example',
    'https://d.example/x',
  ]);
});

t.test('html`` escapes everything but markup', async (t) => {
  const bad = `<img src=x onerror="a('b')">&`;
  const one: Markup = html`<b title="${bad}">${bad}</b>`;
  t.notMatch(one.text.slice(3, -4), /[<]img|onerror="/);
  t.equal(html`${[one, one]}${null}${false}${7}`.text, `${one.text}${one.text}7`);
});
