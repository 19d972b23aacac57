import { fork } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { fileURLToPath } from 'node:url';
import { createTestDatabase } from '../support/database.js';
import { freePort } from '../support/free-port.js';
import { pickForm, sameInFull } from '../support/long-form.js';
import { mailTo, outboxRows, startTestMailer, storeEntries, storeMail } from '../support/mailer.js';
import { pickRows, pickWhere } from '../support/rows.js';
import { commandsOf, openTestMailServer, type Reaction, type Step } from '../support/smtp.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

/** Of an attempt; in a full run what the mailer itself has as the limit. */
const TARPIT_SECONDS = pickForm({ short: 2, full: 15 });

const isEmpty = async (database: Parameters<typeof outboxRows>[0]) => (await outboxRows(database)).length === 0;
const codeOf = (text: string | undefined) => /^\d{6}$/m.exec(text ?? '')?.[0];

t.test(
  'REL-11 a mail server that is down: the mail is queued, and sent with the same code later',
  sameInFull,
  async (t) => {
    const database = await createTestDatabase(t);
    const port = await freePort();
    const { post, log, failed, mailer } = startTestMailer(t, database, port);
    const id = await post({ to: 'ada@example.com', code: '271828' });
    await until(() => mailer.stats().retried >= 2);
    t.match(
      log.lines.find(({ mail_id }) => mail_id === id),
      { level: 'warn', stage: 'connect', mail_server: '127.0.0.1', attempt: 1, retry_in_seconds: 0.1 },
    );
    t.equal(failed.length, 1);
    t.match(failed, [{ kind: 'recovery', to: 'ada@example.com', isRetried: true }], 'reported at the first failure');

    const server = await openTestMailServer(t, { port });
    const [mail] = await server.waitForMails(1);
    t.equal(codeOf(mail?.text), '271828');
    t.equal(mail?.messageId, `<${id}@localhost>`);
    await until(() => isEmpty(database));
    t.equal(mailer.stats().sent, 1);
    t.equal(failed.length, 1);
  },
);

t.test('REL-11 a mail server whose name does not resolve', sameInFull, async (t) => {
  const database = await createTestDatabase(t);
  const { post, log, mailer } = startTestMailer(t, database, 25, { settings: { SMTP_HOST: 'mail.invalid' } });
  await post();
  await until(() => mailer.stats().retried >= 1);
  t.match(
    log.lines.find(({ stage }) => stage !== undefined),
    { level: 'warn', stage: 'dns', mail_server: 'mail.invalid' },
  );
});

const GREY_STEPS = ['connect', 'sender', 'recipient', 'data', 'end'] as const;
/** The first, the last, and the one where mail servers do it. */
const FEW_STEPS: readonly string[] = ['connect', 'recipient', 'end'];
for (const step of pickWhere(GREY_STEPS, (step) => FEW_STEPS.includes(step))) {
  t.test(`REL-11 greylisted at ${step}: retried, accepted once, same code`, async (t) => {
    const server = await openTestMailServer(t);
    const database = await createTestDatabase(t);
    const { post, mailer, log } = startTestMailer(t, database, server.port);
    let deferred = 2;
    server.react = (at) => (at === step && deferred-- > 0 ? { code: 451, text: '4.7.1 Come back later' } : 'accept');
    const id = await post({ code: '161803' });
    const [mail] = await server.waitForMails(1);
    t.equal(codeOf(mail?.text), '161803');
    t.equal(mail?.messageId, `<${id}@localhost>`);
    await until(() => isEmpty(database));
    t.match(mailer.stats(), { sent: 1, retried: 2, failed: { refused: 0, unknown: 0 } });
    t.match(
      log.lines.find(({ mail_id }) => mail_id === id),
      {
        stage: { connect: 'greeting', sender: 'sender', recipient: 'recipient', data: 'data', end: 'data' }[step],
        reply: /^451 .*Come back later/,
      },
    );
    t.equal((await server.accepted()).length, 1);
  });
}

for (const step of ['sender', 'recipient', 'end'] as const) {
  t.test(`REL-11 rejected at ${step}: dropped at once, and reported`, sameInFull, async (t) => {
    const server = await openTestMailServer(t);
    const database = await createTestDatabase(t);
    const { post, mailer, log, failed } = startTestMailer(t, database, server.port);
    server.react = (at) => (at === step ? { code: 550, text: '5.1.1 No such person 123456' } : 'accept');
    const id = await post({ to: 'unknown@example.com' });
    await until(() => isEmpty(database));
    await until(() => failed.length > 0);
    t.match(mailer.stats(), { sent: 0, retried: 0, failed: { refused: 1 } });
    t.match(
      log.lines.filter(({ mail_id }) => mail_id === id),
      [{ level: 'error', reason: 'refused', reply: '550 5.1.1 No such person [number]' }],
    );
    t.equal(failed.length, 1);
    t.match(failed, [{ kind: 'recovery', to: 'unknown@example.com', isRetried: false }]);
  });
}

const cuts: readonly [name: string, step: Step, hidesPipelining: boolean][] = [
  ['at the greeting', 'connect', false],
  ['at MAIL', 'sender', true],
  ['at RCPT', 'recipient', true],
  ['at RCPT, DATA sent along', 'recipient', false],
];
for (const [name, step, hidePIPELINING] of pickRows(cuts, [([, step]) => step])) {
  t.test(`REL-11 cut before DATA, ${name}: sent again`, async (t) => {
    const server = await openTestMailServer(t, { hidePIPELINING });
    const database = await createTestDatabase(t);
    const { post, mailer } = startTestMailer(t, database, server.port);
    let cutsLeft = 1;
    server.react = (at) => (at === step && cutsLeft-- > 0 ? 'cut' : 'accept');
    await post({ code: '141421' });
    const [mail] = await server.waitForMails(1);
    t.equal(codeOf(mail?.text), '141421');
    await until(() => isEmpty(database));
    t.match(mailer.stats(), { sent: 1, retried: 1, failed: { unknown: 0 } });
  });
}

for (const [name, step] of [
  ['in DATA', 'content'],
  ['after the final dot', 'end'],
] as const) {
  t.test(`REL-11 cut ${name}: may have arrived, so it is not sent again`, sameInFull, async (t) => {
    const server = await openTestMailServer(t);
    const database = await createTestDatabase(t);
    const { post, mailer, log, failed } = startTestMailer(t, database, server.port);
    let cutsLeft = 1;
    let taken = 0;
    server.react = (at): Reaction => {
      if (at !== step || cutsLeft-- <= 0) return 'accept';
      taken += 1;
      return 'cut';
    };
    const id = await post({ to: 'ada@example.com' });
    await until(() => isEmpty(database));
    await until(() => failed.length > 0);
    t.equal(taken, 1);
    t.match(mailer.stats(), { sent: 0, retried: 0, failed: { unknown: 1 } });
    t.match(
      log.lines.filter(({ mail_id }) => mail_id === id),
      [{ level: 'error', stage: 'data', reason: 'unknown' }],
    );
    t.equal(failed.length, 1);
    t.match(failed, [{ kind: 'recovery', to: 'ada@example.com', isRetried: false }], 'another mail is allowed at once');
    await post({ to: 'bob@example.com' });
    const mails = await server.waitForMails(1);
    t.same(
      mails.map(({ to }) => to?.[0]?.address),
      ['bob@example.com'],
    );
  });
}

t.test(
  'REL-11 a mail server that accepts and never replies: no request waits for it, each attempt is bounded',
  async (t) => {
    for (const step of ['connect', 'recipient', 'data'] as const) {
      const server = await openTestMailServer(t);
      const database = await createTestDatabase(t);
      const { post, mailer, log } = startTestMailer(t, database, server.port, { timing: { attemptSeconds: 0.5 } });
      let hangs = 1;
      server.react = (at) => (at === step && hangs-- > 0 ? 'hang' : 'accept');
      const id = await post();
      await until(() => mailer.stats().retried + mailer.stats().failed.unknown === 1);
      t.match(
        log.lines.find(({ mail_id }) => mail_id === id),
        { stage: { connect: 'greeting', recipient: 'recipient', data: 'data' }[step], error: /within 0.5 s/ },
      );
      // Beyond DATA it may have arrived; before, it is sent again.
      if (step === 'data') await until(() => isEmpty(database));
      else await server.waitForMails(1);
    }
  },
);

t.test(`REL-11 a tarpit times out after ${TARPIT_SECONDS} s`, async (t) => {
  const database = await createTestDatabase(t);
  // An endless greeting, two lines each second, so that no time-out for inactivity applies.
  const tarpit = net.createServer((socket) => {
    const timer = setInterval(() => socket.write('220-patience\r\n'), 500);
    socket.on('error', () => undefined).on('close', () => clearInterval(timer));
  });
  tarpit.listen(0, '127.0.0.1');
  await once(tarpit, 'listening');
  t.teardown(() => void tarpit.close());
  const { port } = tarpit.address() as net.AddressInfo;
  const { post, mailer, log } = startTestMailer(t, database, port, {
    timing: pickForm({ short: { attemptSeconds: TARPIT_SECONDS }, full: {} }),
  });
  const began = Date.now();
  await post();
  t.equal(mailer.stats().retried, 0, 'posting does not wait');
  await until(() => mailer.stats().retried === 1);
  const seconds = (Date.now() - began) / 1000;
  t.ok(seconds > TARPIT_SECONDS / 2, `${seconds} s`);
  t.match(
    log.lines.find(({ stage }) => stage !== undefined),
    { stage: 'greeting', error: new RegExp(`within ${TARPIT_SECONDS} s`) },
    "ended by the attempt's bound",
  );
});

t.test('REL-11 a newer mail of the same kind replaces a pending one', sameInFull, async (t) => {
  const server = await openTestMailServer(t);
  const database = await createTestDatabase(t);
  const { post } = startTestMailer(t, database, server.port);
  let deferred = 3;
  server.react = (at) => (at === 'recipient' && deferred-- > 0 ? { code: 450, text: '4.2.1 Later' } : 'accept');
  await post({ to: 'ada@example.com', code: '111111' });
  await until(() => deferred < 3);
  await post({ to: 'ada@example.com', code: '222222' });
  const [mail] = await server.waitForMails(1);
  t.equal(codeOf(mail?.text), '222222');
  await until(() => isEmpty(database));
  t.equal((await server.accepted()).length, 1);
});

t.test('REL-11 replaced between RCPT and DATA: the older mail does not leave', sameInFull, async (t) => {
  const server = await openTestMailServer(t);
  const database = await createTestDatabase(t);
  const { post, mailer } = startTestMailer(t, database, server.port);
  let isHeld = false;
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  server.react = async (at): Promise<Reaction> => {
    if (at === 'recipient' && !isHeld) {
      isHeld = true;
      await held;
    }
    return 'accept';
  };
  await post({ to: 'ada@example.com', code: '111111' });
  await until(() => isHeld);
  await post({ to: 'ada@example.com', code: '222222' });
  await server.waitForMails(1);
  release();
  await until(() => isEmpty(database));
  await mailer.close(2);
  const mails = await server.accepted();
  t.same(
    mails.map(({ text }) => codeOf(text)),
    ['222222'],
  );
});

t.test('REL-11 a mail is sent only while its code is valid', sameInFull, async (t) => {
  const database = await createTestDatabase(t);
  const { post, mailer, log, failed } = startTestMailer(t, database, await freePort(), {
    settings: { MAILER_OTP_EXP: '1' },
    timing: { retrySeconds: [0.3], pollSeconds: 0.2 },
  });
  const id = await post();
  await until(() => isEmpty(database));
  await until(() => mailer.stats().failed.expired === 1);
  t.match(log.lines.filter(({ mail_id }) => mail_id === id).at(-1), { level: 'error', reason: 'expired' });
  t.equal(failed.length, 1);
});

t.test('REL-11 two instances share one outbox under load: every mail is accepted exactly once', async (t) => {
  const server = await openTestMailServer(t);
  const database = await createTestDatabase(t);
  const mailers = [0, 1].map(() =>
    startTestMailer(t, database, server.port, { timing: { retrySeconds: [0.05], pollSeconds: 0.2 } }),
  );
  let asked = 0;
  // Every seventh recipient is deferred, every eleventh connection is cut before DATA.
  server.react = (at) => {
    if (at !== 'recipient') return 'accept';
    asked += 1;
    if (asked % 11 === 0) return 'cut';
    return asked % 7 === 0 ? { code: 451, text: '4.3.0 Busy' } : 'accept';
  };
  const total = pickForm({ short: 100, full: 200 });
  for (let begun = 0; begun < total; begun += 20) {
    const [first] = mailers;
    const entries = first!.mailer.seal(
      Array.from({ length: 20 }, (_, index) => mailTo(`person-${begun + index}@example.com`)),
    );
    await storeEntries(database, entries);
    for (const { mailer } of mailers) mailer.nudge();
  }
  await until(() => isEmpty(database));
  const recipients = server.mails.filter(({ isAccepted }) => isAccepted).map(({ to }) => to[0]);
  t.equal(recipients.length, total, 'none twice');
  t.equal(new Set(recipients).size, total, 'none missing');
  const stats = mailers.map(({ mailer }) => mailer.stats());
  t.equal(stats[0]!.sent + stats[1]!.sent, total);
  t.ok(
    stats.every(({ sent, retried }) => sent > 0 && retried > 0),
    'both sent mails, and both retried',
  );
  t.ok(server.connections() < total, 'connections are reused');
});

t.test('REL-11 a stale idle connection causes no retry', sameInFull, async (t) => {
  const server = await openTestMailServer(t);
  const database = await createTestDatabase(t);
  const { post, mailer } = startTestMailer(t, database, server.port);
  await post();
  await server.waitForMails(1);
  await until(() => isEmpty(database));
  await storeMail(database, mailTo('second@example.com'));
  // In one turn of the event loop: the mailer starts to send before it notices the cut.
  server.hangUp();
  mailer.nudge();
  await server.waitForMails(2);
  await until(() => isEmpty(database));
  t.match(mailer.stats(), { sent: 2, retried: 0 });
  t.equal(server.connections(), 2);
});

t.test('REL-11 a kept connection that is cut in DATA: the mail is given up at once', sameInFull, async (t) => {
  const server = await openTestMailServer(t);
  const database = await createTestDatabase(t);
  const { post, mailer } = startTestMailer(t, database, server.port);
  await post();
  await server.waitForMails(1);
  await until(() => isEmpty(database));
  server.react = (at) => (at === 'content' ? 'cut' : 'accept');
  await post();
  await until(() => mailer.stats().failed.unknown === 1);
  // It is counted before the statement that removes it has ended.
  await until(() => isEmpty(database));
  t.match(mailer.stats(), { sent: 1, retried: 0 });
  t.equal(server.connections(), 1);
});

t.test('REL-11 kill -9 in the middle of DATA: a restarted sender does not send it again', sameInFull, async (t) => {
  const server = await openTestMailServer(t);
  const database = await createTestDatabase(t);
  let reached = (): void => undefined;
  const atEnd = new Promise<void>((resolve) => {
    reached = resolve;
  });
  server.react = (at) => {
    if (at !== 'end') return 'accept';
    reached();
    return 'hang';
  };
  const child = fork(fileURLToPath(new URL('../support/mail-sender.js', import.meta.url)), [
    database.url,
    String(server.port),
  ]);
  t.teardown(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  await storeMail(database, mailTo('victim@example.com'));
  child.send('nudge');
  await atEnd;
  child.kill('SIGKILL');
  await once(child, 'exit');

  const [row] = await outboxRows(database);
  t.ok(row?.['data_started_at'], 'the start of DATA was stored before the content left');
  server.react = () => 'accept';
  // The lease of the killed process expires.
  await database.admin.query("update outbox set claimed_until = now() - interval '1 second'");
  const { mailer, failed, post } = startTestMailer(t, database, server.port, { timing: { pollSeconds: 0.2 } });
  await until(() => mailer.stats().failed.unknown === 1);
  // It is counted before the statement that removes it has ended.
  await until(() => isEmpty(database));
  await until(() => failed.length > 0);
  t.match(failed, [{ to: 'victim@example.com', isRetried: false }]);
  await post({ to: 'next@example.com' });
  const mails = await server.waitForMails(1);
  t.same(
    mails.map(({ to }) => to?.[0]?.address),
    ['next@example.com'],
  );
});

t.test('REL-11 kill -9 before DATA: another sender takes over', sameInFull, async (t) => {
  const server = await openTestMailServer(t);
  const database = await createTestDatabase(t);
  let reached = (): void => undefined;
  const atRecipient = new Promise<void>((resolve) => {
    reached = resolve;
  });
  server.react = (at) => {
    if (at !== 'recipient') return 'accept';
    reached();
    return 'hang';
  };
  const child = fork(fileURLToPath(new URL('../support/mail-sender.js', import.meta.url)), [
    database.url,
    String(server.port),
  ]);
  t.teardown(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  await storeMail(database, mailTo('heir@example.com'));
  child.send('nudge');
  await atRecipient;
  child.kill('SIGKILL');
  await once(child, 'exit');
  server.react = () => 'accept';
  await database.admin.query("update outbox set claimed_until = now() - interval '1 second'");
  startTestMailer(t, database, server.port, { timing: { pollSeconds: 0.2 } });
  const [mail] = await server.waitForMails(1);
  t.equal(mail?.to?.[0]?.address, 'heir@example.com');
  t.equal(codeOf(mail?.text), '314159', 'the code it was stored with');
});

t.test('REL-11 close sends what is due, and releases what cannot leave', sameInFull, async (t) => {
  const server = await openTestMailServer(t);
  const database = await createTestDatabase(t);
  const { post, mailer } = startTestMailer(t, database, server.port);
  await Promise.all(Array.from({ length: 10 }, () => post()));
  await mailer.close(5);
  t.equal((await server.accepted()).length, 10);
  t.ok(await isEmpty(database));

  server.react = (at) => (at === 'recipient' ? 'hang' : 'accept');
  const second = startTestMailer(t, database, server.port);
  await second.post();
  await until(() => commandsOf(server.dialogue).filter((command) => command === 'RCPT').length === 11);
  await second.mailer.close(0.3);
  t.match(second.mailer.stats(), { retried: 0, failed: { unknown: 0 } }, "before the attempt's bound");
  const [row] = await outboxRows(database);
  t.match(row, { attempts: 0, claimed_until: null, data_started_at: null }, 'free for another instance at once');
});

t.test('REL-11 close gives up what may have arrived', sameInFull, async (t) => {
  const server = await openTestMailServer(t);
  const database = await createTestDatabase(t);
  let isReached = false;
  server.react = (at) => {
    if (at !== 'end') return 'accept';
    isReached = true;
    return 'hang';
  };
  const { post, mailer } = startTestMailer(t, database, server.port);
  await post();
  await until(() => isReached);
  await mailer.close(0.3);
  t.match(mailer.stats(), { sent: 0, retried: 0, failed: { unknown: 1 } });
  t.ok(await isEmpty(database), 'no other instance sends it');
});

t.test(
  'REL-11 the database fails after the reply to DATA: nothing leaves, and there is another attempt',
  sameInFull,
  async (t) => {
    const server = await openTestMailServer(t);
    const database = await createTestDatabase(t);
    const { post, mailer } = startTestMailer(t, database, server.port, {
      timing: { leaseSeconds: 0.5, pollSeconds: 0.2 },
    });
    let isFirst = true;
    server.react = async (at): Promise<Reaction> => {
      if (at === 'recipient' && isFirst) {
        isFirst = false;
        await database.admin.query('alter table outbox rename to outbox_away');
        setTimeout(() => void database.admin.query('alter table outbox_away rename to outbox'), 300);
      }
      return 'accept';
    };
    await post();
    await server.waitForMails(1);
    await until(() => isEmpty(database));
    t.equal(server.mails.length, 1, 'the first attempt did not reach its final dot');
    t.equal(mailer.stats().sent, 1);
  },
);
