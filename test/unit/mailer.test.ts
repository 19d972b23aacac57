import { startMailer } from '../../src/server/mail/mailer.js';
import { createTestDatabase } from '../support/database.js';
import { listeningLog, mailConfig, mailTo, outboxRows, startTestMailer } from '../support/mailer.js';
import { openTestMailServer } from '../support/smtp.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

t.test('a stored mail is sent after a nudge, with link, code and text part', async (t) => {
  const server = await openTestMailServer(t);
  const database = await createTestDatabase(t);
  const { mailer, post, log } = startTestMailer(t, database, server.port, {
    settings: {
      SMTP_SENDER_NAME: 'Ünique "Example"',
      SMTP_HEADERS: '{"X-Type":["$messageType"],"X-Two":["a","b"],"To":["evil@example.com"]}',
      SMTP_LOGGING_ENABLED: 'true',
    },
  });
  const id = await post({ to: 'ada@example.com', email: 'ada@example.com' });
  const [mail] = await server.waitForMails(1);
  t.match(mail, {
    from: { name: 'Ünique "Example"', address: 'no-reply@latchkey.example' },
    to: [{ address: 'ada@example.com' }],
    subject: 'Reset Your Password',
    messageId: `<${id}@localhost>`,
  });
  const link =
    'http://localhost:9999/verify?token=feedfacefeedfacefeedfacefeedfacefeedfacefeedfacefeedface&type=recovery&redirect_to=http://localhost:3000';
  t.match(mail?.html, `href="${link.replaceAll('&', '&amp;')}"`);
  t.match(mail?.text, `\n${link}\n`);
  t.match(mail?.text, /\n314159\n/);
  t.ok(Math.abs(Date.parse(mail?.date ?? '') - Date.now()) < 60_000);
  const header = (key: string) => mail?.headers.find((entry) => entry.key === key)?.value;
  t.equal(header('x-type'), 'recovery');
  t.equal(header('x-two'), 'a, b');
  t.equal(header('auto-submitted'), 'auto-generated', 'RFC 3834');
  t.equal(header('x-auto-response-suppress'), 'All');
  await until(async () => (await outboxRows(database)).length === 0);
  t.match(mailer.stats(), { sent: 1, retried: 0, failed: { refused: 0, expired: 0, unknown: 0 } });
  t.match(
    log.lines.find(({ event }) => event === 'mail.send'),
    { mail_to: 'ada@example.com', mail_type: 'recovery' },
  );
  const logged = JSON.stringify(log.lines);
  t.notMatch(logged, /314159|feedface/, 'neither code nor link is logged');
});

t.test('without a mail server nothing is stored, and a warning names the setting', async (t) => {
  const log = listeningLog();
  const config = mailConfig('postgres://unused', 25, { SMTP_HOST: '' });
  const mailer = startMailer({ config, db: {} as never, log });
  t.equal(mailer.isOn, false);
  t.same(mailer.seal([mailTo('a@example.com'), mailTo('b@example.com', { kind: 'invite' })]), []);
  t.same(mailer.seal([mailTo('a@example.com')]), []);
  mailer.nudge();
  await mailer.close(1);
  t.same(
    log.lines.map(({ level, mail_type }) => [level, mail_type]),
    [
      ['warn', 'recovery'],
      ['warn', 'invite'],
    ],
    'once per kind, not once per mail',
  );
  t.match(log.lines[0]?.message, 'AUTH_SMTP_HOST');
});

t.test('without a sender address mail is off as well', async (t) => {
  const log = listeningLog();
  const config = mailConfig('postgres://unused', 25, { SMTP_ADMIN_EMAIL: '' });
  const mailer = startMailer({ config, db: {} as never, log });
  t.equal(mailer.isOn, false);
  mailer.seal([mailTo('a@example.com')]);
  t.match(log.lines[0]?.message, 'AUTH_SMTP_ADMIN_EMAIL');
});
