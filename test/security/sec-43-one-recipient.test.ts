import { MailError } from '../../src/server/mail/mail-error.js';
import { buildMessage } from '../../src/server/mail/mime-message.js';
import { isOneAddress } from '../../src/server/mail/recipient.js';
import { createTestDatabase } from '../support/database.js';
import { outboxRows, startTestMailer } from '../support/mailer.js';
import { commandsOf, openTestMailServer } from '../support/smtp.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

t.test('SEC-43 one MAIL, one RCPT, one DATA, to the stored address, whatever the values contain', async (t) => {
  const server = await openTestMailServer(t);
  const database = await createTestDatabase(t);
  const { post } = startTestMailer(t, database, server.port, {
    settings: { SMTP_SENDER_NAME: 'A, "B" <c@evil.example>', MAILER_SUBJECTS_RECOVERY: '{{ .Data.name }}' },
  });
  const values = [
    'x\r\nBcc: evil@example.com\r\n\r\nbody',
    '\r\n.\r\nMAIL FROM:<a@b>',
    'x\nTo: evil@example.com',
    '=?utf-8?q?=0ATo:?=',
  ];
  for (const [index, value] of values.entries()) {
    server.dialogue.length = 0;
    const before = server.mails.length;
    await post({ to: 'ada@example.com', email: value, data: { name: value }, redirectTo: value });
    const mail = (await server.waitForMails(before + 1)).at(-1);
    const sent = commandsOf(server.dialogue);
    for (const command of ['MAIL', 'RCPT', 'DATA']) {
      t.equal(sent.filter((word) => word === command).length, 1, `${command}, value ${index}`);
    }
    t.same(server.mails.at(-1)?.to, ['ada@example.com']);
    t.same(
      mail?.to?.map(({ address }) => address),
      ['ada@example.com'],
    );
    t.same([mail?.cc, mail?.bcc], [undefined, undefined]);
    t.equal(mail?.from?.address, 'no-reply@latchkey.example');
    await until(async () => (await outboxRows(database)).length === 0);
  }
});

t.test('SEC-43 an ambiguous address gets no mail', async (t) => {
  const server = await openTestMailServer(t);
  const database = await createTestDatabase(t);
  const { post, mailer } = startTestMailer(t, database, server.port);
  const addresses = [
    'a@b.example,c@d.example',
    'a@b.example c@d.example',
    '"a@evil.example"@victim.example',
    'Ada <a@b.example>',
    'a@b.example>\r\nRCPT TO:<c@d.example',
    'a@b.example\nRCPT TO:<c@d.example>',
    'a(c)@b.example',
    'a@b@c.example',
    'a\0@b.example',
    'ä@b.example',
    'a@',
    '@b.example',
    '',
  ];
  for (const to of addresses) t.equal(isOneAddress(to), false, JSON.stringify(to));
  for (const to of addresses) await post({ to });
  await until(() => mailer.stats().failed.refused === addresses.length);
  t.same(server.dialogue, [], 'no connection was opened');
  t.equal(isOneAddress("first.last+tag!#$%&'*/=?^_`{|}~-@sub.example.com"), true);
});

t.test('SEC-43 CR, LF and NUL are errors in every header', async (t) => {
  const good = {
    id: '11111111-1111-4111-8111-111111111111',
    host: 'localhost',
    from: { name: 'Example', address: 'a@b.example' },
    to: 'c@d.example',
    subject: 'Hello',
    html: '<p>x</p>',
    text: 'x',
    headers: [['X-Kind', 'recovery']] as [string, string][],
  };
  await t.resolves(buildMessage(good));
  for (const bad of ['\r', '\n', '\0', '\r\nBcc: e@f.example']) {
    const variants = [
      { subject: `a${bad}` },
      { to: `c@d.example${bad}` },
      { from: { name: `a${bad}`, address: 'a@b.example' } },
      { from: { name: 'a', address: `a@b.example${bad}` } },
      { id: `a${bad}` },
      { host: `a${bad}` },
      { headers: [['X-Kind', `a${bad}`]] as [string, string][] },
      { headers: [[`X${bad}`, 'a']] as [string, string][] },
    ];
    for (const variant of variants) {
      await t.rejects(buildMessage({ ...good, ...variant }), MailError, JSON.stringify(variant));
    }
  }
});
