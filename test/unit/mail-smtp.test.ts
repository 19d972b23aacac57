import { once } from 'node:events';
import net from 'node:net';
import { connectToServer } from '../../src/server/mail/smtp-pool.js';
import { openSmtpSession } from '../../src/server/mail/smtp-session.js';
import { makeCertificate } from '../support/certificate.js';
import { createTestDatabase } from '../support/database.js';
import { startTestMailer } from '../support/mailer.js';
import { runCommand } from '../support/run-command.js';
import { testEnvironment } from '../support/server.js';
import { commandsOf, openTestMailServer } from '../support/smtp.js';
import { readSource } from '../support/source-tree.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

const PASSWORD = 'correct-horse-battery';

t.test(
  'smtp-session.ts reads the log entries of this nodemailer: check a newer one before you change this',
  async (t) => {
    t.equal(JSON.parse(readSource('node_modules/nodemailer/package.json').text).version, '10.6.0');
  },
);

t.test('AUTH uses a method that the mail server offers, and the log has no password', async (t) => {
  const methods: [offered: string[], used: RegExp][] = [
    [['PLAIN', 'LOGIN', 'CRAM-MD5'], /^C: AUTH CRAM-MD5/],
    [['LOGIN'], /^C: AUTH LOGIN/],
    [['PLAIN', 'LOGIN'], /^C: AUTH PLAIN/],
  ];
  for (const [authMethods, used] of methods) {
    const server = await openTestMailServer(t, { user: 'mailer', password: PASSWORD, authMethods });
    const database = await createTestDatabase(t);
    const { post, log } = startTestMailer(t, database, server.port, {
      settings: { SMTP_USER: 'mailer', SMTP_PASS: PASSWORD },
    });
    await post();
    await server.waitForMails(1);
    t.ok(
      server.dialogue.some((line) => used.test(line)),
      String(used),
    );
    t.ok(server.dialogue.includes('C: EHLO localhost'));
    t.notMatch(JSON.stringify(log.lines), PASSWORD);
  }
});

t.test('a wrong password: stage and reply are logged, and the mail waits', async (t) => {
  const server = await openTestMailServer(t, { user: 'mailer', password: PASSWORD });
  const database = await createTestDatabase(t);
  const { post, mailer, log } = startTestMailer(t, database, server.port, {
    settings: { SMTP_USER: 'mailer', SMTP_PASS: 'wrong-password' },
  });
  await post();
  await until(() => mailer.stats().retried === 1);
  t.match(
    log.lines.find(({ stage }) => stage !== undefined),
    { stage: 'auth', reply: /^535/, error: 'The mail server refused user or password' },
  );
  t.notMatch(JSON.stringify(log.lines), /wrong-password|correct-horse/);
});

t.test('STARTTLS is used when it is offered, and the certificate is verified', async (t) => {
  const own = makeCertificate('127.0.0.1');
  const elsewhere = makeCertificate('mail.example');
  const distrusted = [
    { certificate: own, ca: elsewhere.cert, why: 'of an unknown CA' },
    { certificate: elsewhere, ca: elsewhere.cert, why: 'for another host' },
  ];
  for (const { certificate, ca, why } of distrusted) {
    const server = await openTestMailServer(t, { offersStartTls: true, ...certificate });
    const database = await createTestDatabase(t);
    const { post, mailer, log } = startTestMailer(t, database, server.port, { tls: { ca } });
    await post();
    await until(() => mailer.stats().retried === 1);
    t.match(
      log.lines.find(({ stage }) => stage !== undefined),
      { stage: 'tls', error: /^No encrypted connection: / },
      why,
    );
    t.notOk(server.dialogue.some((line) => line.startsWith('C: MAIL')));
  }
  const server = await openTestMailServer(t, { offersStartTls: true, ...own });
  const database = await createTestDatabase(t);
  const { post } = startTestMailer(t, database, server.port, { tls: { ca: own.cert } });
  await post();
  await server.waitForMails(1);
  t.same(commandsOf(server.dialogue), ['EHLO', 'STARTTLS', 'EHLO', 'MAIL', 'RCPT', 'DATA']);
});

t.test('TLS from the first byte, and no password without TLS to a remote server', async (t) => {
  const certificate = makeCertificate('127.0.0.1');
  const server = await openTestMailServer(t, { secure: true, ...certificate });
  const abort = new AbortController();
  const settings = { host: '127.0.0.1', port: server.port, user: 'a', password: PASSWORD, ehloName: 'localhost' };
  const session = await connectToServer({ ...settings, isSecure: true, tls: { ca: certificate.cert } }, abort.signal);
  t.equal(session.isEncrypted, true);
  session.quit();

  const plain = await openTestMailServer(t, { user: 'a', password: PASSWORD, authMethods: ['PLAIN', 'LOGIN'] });
  const socket = net.connect(plain.port, '127.0.0.1');
  await once(socket, 'connect');
  const remote = {
    host: 'mail.example',
    isSecure: false,
    ehloName: 'localhost',
    user: 'a',
    password: PASSWORD,
    tls: {},
  };
  await t.rejects(openSmtpSession({ ...remote, socket }), { stage: 'auth', message: /password was not sent/ });
  t.notOk(plain.dialogue.some((line) => line.startsWith('C: AUTH')));
});

const emptyFile = `${t.testdir({ 'empty.env': '' })}/empty.env`;
const check = (settings: Record<string, string>, ...args: string[]) =>
  runCommand(['check', 'smtp', ...args], testEnvironment('postgres://user@127.0.0.1/none', settings), emptyFile);

t.test('latchkey check smtp prints each stage and sends a mail', async (t) => {
  const server = await openTestMailServer(t, { user: 'mailer', password: PASSWORD, authMethods: ['PLAIN'] });
  const settings = {
    SMTP_HOST: '127.0.0.1',
    SMTP_PORT: String(server.port),
    SMTP_ADMIN_EMAIL: 'no-reply@example.com',
    SMTP_USER: 'mailer',
    SMTP_PASS: PASSWORD,
  };
  const good = await check(settings, '--to', 'ada@example.com');
  t.equal(good.code, 0, good.err);
  const stages = [...good.out.matchAll(/^([a-z]+) {2,}[a-z]/gm)].map(([, stage]) => stage);
  t.same(stages, ['connect', 'greeting', 'auth', 'sender', 'recipient', 'data']);
  t.match(good.out, /server: 220 /);
  t.match(good.out, /NOT encrypted/);
  t.match(await server.accepted(), [{ to: [{ address: 'ada@example.com' }], subject: 'Test mail from Latchkey' }]);

  const wrong = await check({ ...settings, SMTP_PASS: 'wrong-password' }, '--to', 'ada@example.com');
  t.equal(wrong.code, 1);
  t.match(wrong.err, 'AUTH_SMTP_PASS');
  t.match(wrong.out, /server: 535/);

  server.react = (step) => (step === 'recipient' ? { code: 550, text: '5.1.1 Unknown user' } : 'accept');
  const json = await check(settings, '--to', 'unknown@example.com', '--json');
  t.equal(json.code, 1);
  t.match(JSON.parse(json.out), { ok: false, encrypted: false, failedAt: 'recipient' });
  for (const { out, err } of [good, wrong, json]) {
    const coded = Buffer.from(`\0mailer\0${PASSWORD}`).toString('base64');
    for (const secret of [PASSWORD, 'wrong-password', coded]) t.notOk((out + err).includes(secret));
  }
});

t.test('latchkey check smtp without a setting, and without a mail server', async (t) => {
  t.match(await check({ SMTP_HOST: 'a.example', SMTP_ADMIN_EMAIL: 'a@b.c' }), { code: 2, err: /--to ADDRESS/ });
  t.match(await check({}, '--to', 'a@b.example'), { code: 2, err: /AUTH_SMTP_HOST/ });
  t.match(await check({ SMTP_HOST: 'a.example' }, '--to', 'a@b.example'), { code: 2, err: /AUTH_SMTP_ADMIN_EMAIL/ });
  const gone = { SMTP_HOST: 'mail.invalid', SMTP_ADMIN_EMAIL: 'a@b.example' };
  t.match(await check(gone, '--to', 'a@b.example'), { code: 1, err: /AUTH_SMTP_HOST/ });
});
