import { fork } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { createTestDatabase } from '../support/database.js';
import { mailTo, openTestMailRoom, outboxRows, storeEntries, storeMail } from '../support/mail-room.js';
import { commandsOf, openTestMailServer, type Reaction, type Step } from '../support/smtp.js';
import { until } from '../support/until.js';

const isEmpty = async (database: Parameters<typeof outboxRows>[0]) => (await outboxRows(database)).length === 0;
const codeOf = (text: string | undefined) => /^\d{6}$/m.exec(text ?? '')?.[0];

/** A port nobody listens on. */
async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

t.test(
  'REL-11 a mail server that is down: the mail waits and leaves once it is back, with the same code',
  async (t) => {
    const database = await createTestDatabase(t);
    const port = await freePort();
    const { post, log, failed, room } = openTestMailRoom(t, database, port);
    const id = await post({ to: 'ada@example.com', code: '271828' });
    await until(() => room.stats().retried >= 2);
    t.match(
      log.lines.find(({ mail_id }) => mail_id === id),
      { level: 'warn', stage: 'connect', mail_server: '127.0.0.1', attempt: 1, retry_in_seconds: 0.1 },
    );
    t.equal(failed.length, 1);
    t.match(failed, [{ kind: 'recovery', to: 'ada@example.com', isRetried: true }], 'told once, at the first failure');

    const server = await openTestMailServer(t, { port });
    const [mail] = await server.waitForMails(1);
    t.equal(codeOf(mail?.text), '271828');
    t.equal(mail?.messageId, `<${id}@localhost>`);
    await until(() => isEmpty(database));
    t.equal(room.stats().sent, 1);
    t.equal(failed.length, 1);
  },
);

t.test('REL-11 a mail server whose name is not known', async (t) => {
  const database = await createTestDatabase(t);
  const { post, log, room } = openTestMailRoom(t, database, 25, { settings: { SMTP_HOST: 'mail.invalid' } });
  await post();
  await until(() => room.stats().retried >= 1);
  t.match(
    log.lines.find(({ stage }) => stage !== undefined),
    { level: 'warn', stage: 'dns', mail_server: 'mail.invalid' },
  );
});

for (const step of ['connect', 'sender', 'recipient', 'data', 'end'] as const) {
  t.test(`REL-11 greylisted at ${step}: tried again, accepted once, same code`, async (t) => {
    const server = await openTestMailServer(t);
    const database = await createTestDatabase(t);
    const { post, room, log } = openTestMailRoom(t, database, server.port);
    let refusals = 2;
    server.react = (at) => (at === step && refusals-- > 0 ? { code: 451, text: '4.7.1 Come back later' } : 'accept');
    const id = await post({ code: '161803' });
    const [mail] = await server.waitForMails(1);
    t.equal(codeOf(mail?.text), '161803');
    t.equal(mail?.messageId, `<${id}@localhost>`);
    await until(() => isEmpty(database));
    t.match(room.stats(), { sent: 1, retried: 2, failed: { refused: 0, unknown: 0 } });
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
  t.test(`REL-11 refused for good at ${step}: given up at once, and told`, async (t) => {
    const server = await openTestMailServer(t);
    const database = await createTestDatabase(t);
    const { post, room, log, failed } = openTestMailRoom(t, database, server.port);
    server.react = (at) => (at === step ? { code: 550, text: '5.1.1 No such person 123456' } : 'accept');
    const id = await post({ to: 'nobody@example.com' });
    await until(() => isEmpty(database));
    await until(() => failed.length > 0);
    t.match(room.stats(), { sent: 0, retried: 0, failed: { refused: 1 } });
    t.match(
      log.lines.filter(({ mail_id }) => mail_id === id),
      [{ level: 'error', reason: 'refused', reply: '550 5.1.1 No such person [number]' }],
    );
    t.equal(failed.length, 1);
    t.match(failed, [{ kind: 'recovery', to: 'nobody@example.com', isRetried: false }]);
  });
}

const cuts: readonly [name: string, step: Step, hidesPipelining: boolean][] = [
  ['at the greeting', 'connect', false],
  ['at MAIL', 'sender', true],
  ['at RCPT', 'recipient', true],
  ['at RCPT, DATA sent along', 'recipient', false],
];
for (const [name, step, hidePIPELINING] of cuts) {
  t.test(`REL-11 cut before DATA, ${name}: sent again`, async (t) => {
    const server = await openTestMailServer(t, { hidePIPELINING });
    const database = await createTestDatabase(t);
    const { post, room } = openTestMailRoom(t, database, server.port);
    let cutsLeft = 1;
    server.react = (at) => (at === step && cutsLeft-- > 0 ? 'cut' : 'accept');
    await post({ code: '141421' });
    const [mail] = await server.waitForMails(1);
    t.equal(codeOf(mail?.text), '141421');
    await until(() => isEmpty(database));
    t.match(room.stats(), { sent: 1, retried: 1, failed: { unknown: 0 } });
  });
}

for (const [name, step] of [
  ['in DATA', 'content'],
  ['after the final dot', 'end'],
] as const) {
  t.test(`REL-11 cut ${name}: may have arrived, so it is never sent again`, async (t) => {
    const server = await openTestMailServer(t);
    const database = await createTestDatabase(t);
    const { post, room, log, failed } = openTestMailRoom(t, database, server.port);
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
    t.match(room.stats(), { sent: 0, retried: 0, failed: { unknown: 1 } });
    t.match(
      log.lines.filter(({ mail_id }) => mail_id === id),
      [{ level: 'error', stage: 'data', reason: 'unknown' }],
    );
    t.equal(failed.length, 1);
    t.match(
      failed,
      [{ kind: 'recovery', to: 'ada@example.com', isRetried: false }],
      'the person may ask again at once',
    );
    await post({ to: 'bob@example.com' });
    const mails = await server.waitForMails(1);
    t.same(
      mails.map(({ to }) => to?.[0]?.address),
      ['bob@example.com'],
    );
  });
}

t.test(
  'REL-11 a mail server that accepts and never answers: nobody waits for it, each attempt is bounded',
  async (t) => {
    for (const step of ['connect', 'recipient', 'data'] as const) {
      const server = await openTestMailServer(t);
      const database = await createTestDatabase(t);
      const { post, room, log } = openTestMailRoom(t, database, server.port, { timing: { attemptSeconds: 0.5 } });
      let hangs = 1;
      server.react = (at) => (at === step && hangs-- > 0 ? 'hang' : 'accept');
      const began = Date.now();
      const id = await post();
      t.ok(Date.now() - began < 400, 'posting waits for nobody');
      await until(() => room.stats().retried + room.stats().failed.unknown === 1);
      t.ok(Date.now() - began < 3000, `${step}: ended by the attempt's bound`);
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

t.test('REL-11 a tarpit is left after 15 s', { timeout: 60_000 }, async (t) => {
  const database = await createTestDatabase(t);
  // Alive enough for every time-out of inactivity: a line of an endless greeting every second.
  const tarpit = net.createServer((socket) => {
    const timer = setInterval(() => socket.write('220-patience\r\n'), 1000);
    socket.on('error', () => undefined).on('close', () => clearInterval(timer));
  });
  tarpit.listen(0, '127.0.0.1');
  await once(tarpit, 'listening');
  t.teardown(() => void tarpit.close());
  const { post, room, log } = openTestMailRoom(t, database, (tarpit.address() as net.AddressInfo).port);
  const began = Date.now();
  await post();
  await until(() => room.stats().retried === 1);
  const seconds = (Date.now() - began) / 1000;
  t.ok(seconds > 10 && seconds < 16, `${seconds} s`);
  t.match(
    log.lines.find(({ stage }) => stage !== undefined),
    { stage: 'greeting' },
  );
});

t.test('REL-11 a newer mail of the same kind replaces one that has not left', async (t) => {
  const server = await openTestMailServer(t);
  const database = await createTestDatabase(t);
  const { post } = openTestMailRoom(t, database, server.port);
  let refusals = 3;
  server.react = (at) => (at === 'recipient' && refusals-- > 0 ? { code: 450, text: '4.2.1 Later' } : 'accept');
  await post({ to: 'ada@example.com', code: '111111' });
  await until(() => refusals < 3);
  await post({ to: 'ada@example.com', code: '222222' });
  const [mail] = await server.waitForMails(1);
  t.equal(codeOf(mail?.text), '222222');
  await until(() => isEmpty(database));
  t.equal((await server.accepted()).length, 1);
});

t.test('REL-11 replaced between RCPT and DATA: the older mail does not leave', async (t) => {
  const server = await openTestMailServer(t);
  const database = await createTestDatabase(t);
  const { post, room } = openTestMailRoom(t, database, server.port);
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
  await room.close(2);
  const mails = await server.accepted();
  t.same(
    mails.map(({ text }) => codeOf(text)),
    ['222222'],
  );
});

t.test('REL-11 a mail is worth sending for as long as its code is valid', async (t) => {
  const database = await createTestDatabase(t);
  const { post, room, log, failed } = openTestMailRoom(t, database, await freePort(), {
    settings: { MAILER_OTP_EXP: '1' },
    timing: { retrySeconds: [0.3], pollSeconds: 0.2 },
  });
  const id = await post();
  await until(() => isEmpty(database));
  await until(() => room.stats().failed.expired === 1);
  t.match(log.lines.filter(({ mail_id }) => mail_id === id).at(-1), { level: 'error', reason: 'expired' });
  t.equal(failed.length, 1);
});

t.test('REL-11 two instances share one outbox under load: every mail is accepted exactly once', async (t) => {
  const server = await openTestMailServer(t);
  const database = await createTestDatabase(t);
  const rooms = [0, 1].map(() =>
    openTestMailRoom(t, database, server.port, { timing: { retrySeconds: [0.05], pollSeconds: 0.2 } }),
  );
  let asked = 0;
  // Every seventh recipient is put off, every eleventh connection is cut before DATA.
  server.react = (at) => {
    if (at !== 'recipient') return 'accept';
    asked += 1;
    if (asked % 11 === 0) return 'cut';
    return asked % 7 === 0 ? { code: 451, text: '4.3.0 Busy' } : 'accept';
  };
  const total = 200;
  for (let begun = 0; begun < total; begun += 20) {
    const [first] = rooms;
    const entries = first!.room.seal(
      Array.from({ length: 20 }, (_, index) => mailTo(`person-${begun + index}@example.com`)),
    );
    await storeEntries(database, entries);
    for (const { room } of rooms) room.nudge();
  }
  await until(() => isEmpty(database));
  const recipients = server.mails.filter(({ isAccepted }) => isAccepted).map(({ to }) => to[0]);
  t.equal(recipients.length, total, 'none twice');
  t.equal(new Set(recipients).size, total, 'none missing');
  const stats = rooms.map(({ room }) => room.stats());
  t.equal(stats[0]!.sent + stats[1]!.sent, total);
  t.ok(
    stats.every(({ sent, retried }) => sent > 0 && retried > 0),
    'both took part, and both had to try again',
  );
  t.ok(server.connections() < total, 'connections are used again');
});

t.test('REL-11 a connection that went stale while idle costs nothing', async (t) => {
  const server = await openTestMailServer(t);
  const database = await createTestDatabase(t);
  const { post, room } = openTestMailRoom(t, database, server.port);
  await post();
  await server.waitForMails(1);
  await until(() => isEmpty(database));
  await storeMail(database, mailTo('second@example.com'));
  // In one breath: the room has not heard of the cut when it begins to send.
  server.hangUp();
  room.nudge();
  await server.waitForMails(2);
  await until(() => isEmpty(database));
  t.match(room.stats(), { sent: 2, retried: 0 });
  t.equal(server.connections(), 2);
});

t.test('REL-11 kill -9 in the middle of DATA: a restarted sender does not send it again', async (t) => {
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
  t.ok(row?.['data_started_at'], 'the point of no return was written down before the content left');
  server.react = () => 'accept';
  // The dead sender's claim runs out.
  await database.admin.query("update outbox set claimed_until = now() - interval '1 second'");
  const { room, failed, post } = openTestMailRoom(t, database, server.port, { timing: { pollSeconds: 0.2 } });
  await until(() => room.stats().failed.unknown === 1);
  t.ok(await isEmpty(database));
  await until(() => failed.length > 0);
  t.match(failed, [{ to: 'victim@example.com', isRetried: false }]);
  await post({ to: 'next@example.com' });
  const mails = await server.waitForMails(1);
  t.same(
    mails.map(({ to }) => to?.[0]?.address),
    ['next@example.com'],
  );
});

t.test('REL-11 kill -9 before DATA: another sender takes over', async (t) => {
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
  openTestMailRoom(t, database, server.port, { timing: { pollSeconds: 0.2 } });
  const [mail] = await server.waitForMails(1);
  t.equal(mail?.to?.[0]?.address, 'heir@example.com');
  t.equal(codeOf(mail?.text), '314159', 'the code it was stored with');
});

t.test('REL-11 closing sends what is due, and hands back what cannot leave', async (t) => {
  const server = await openTestMailServer(t);
  const database = await createTestDatabase(t);
  const { post, room } = openTestMailRoom(t, database, server.port);
  await Promise.all(Array.from({ length: 10 }, () => post()));
  await room.close(5);
  t.equal((await server.accepted()).length, 10);
  t.ok(await isEmpty(database));

  server.react = (at) => (at === 'recipient' ? 'hang' : 'accept');
  const second = openTestMailRoom(t, database, server.port);
  await second.post();
  await until(() => commandsOf(server.dialogue).filter((command) => command === 'RCPT').length === 11);
  const began = Date.now();
  await second.room.close(0.3);
  t.ok(Date.now() - began < 2000);
  const [row] = await outboxRows(database);
  t.match(row, { attempts: 0, claimed_until: null, data_started_at: null }, 'free for another instance at once');
});

t.test(
  'REL-11 the database fails between the go-ahead and DATA: nothing leaves, another attempt is made',
  async (t) => {
    const server = await openTestMailServer(t);
    const database = await createTestDatabase(t);
    const { post, room } = openTestMailRoom(t, database, server.port, {
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
    t.equal(room.stats().sent, 1);
  },
);
