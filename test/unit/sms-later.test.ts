import { setImmediate as nextTurn } from 'node:timers/promises';
import t from 'tap';
import { refuse } from '../../src/server/errors.js';
import { type LaterText, SmsSendError, type SmsSender } from '../../src/server/sms/contract.js';
import { withLaterTexts } from '../../src/server/sms/later.js';
import { keepLog } from '../support/quiet-log.js';

const TEST_NUMBER = '15555550199';

interface Sending {
  readonly to: string;
  succeed(): void;
  fail(error: Error): void;
}

/** A room whose sender answers when the test says so. */
function openRoom(mostUnderWay?: number) {
  const sendings: Sending[] = [];
  const log = keepLog();
  const sender: SmsSender = {
    testCode: (phone) => (phone === TEST_NUMBER ? '424242' : null),
    supports: () => true,
    assertReady: () => undefined,
    send: (_purpose, to) =>
      new Promise((resolve, reject) => {
        sendings.push({ to, succeed: () => resolve({ messageId: 'SM1' }), fail: reject });
      }),
  };
  const room = withLaterTexts(sender, log, mostUnderWay);
  const takenBack: string[] = [];
  const text = (to: string, takeBack?: () => Promise<void>): LaterText => ({
    ...{ messageId: room.newMessageId(to), purpose: 'confirmation', to, channel: 'sms', code: '123456' },
    takeBack: takeBack ?? (async () => void takenBack.push(to)),
  });
  return { room, sendings, log, takenBack, text };
}

const refusal = (isOutcomeUnknown: boolean) =>
  refuse('smsSendFailed', { kind: 'confirmation', reason: 'x' }, { cause: new SmsSendError('x', isOutcomeUnknown) });

t.test('a text leaves after the turn that asked for it, and the log puts both ids together', async (t) => {
  const { room, sendings, log, text } = openRoom();
  const later = text('15555550100');
  room.sendLater(later);
  await Promise.resolve();
  t.equal(sendings.length, 0, 'the answer of that turn is written first');
  await nextTurn();
  t.equal(sendings.length, 1);
  sendings[0]!.succeed();
  await room.close(5);
  t.match(log.lines.join(), later.messageId);
  t.match(log.lines.join(), 'SM1');
  t.notMatch(log.lines.join(), /15555550100|123456/);
});

t.test('what certainly reached nobody is taken back; what may have arrived is not', async (t) => {
  const { room, sendings, takenBack, text } = openRoom();
  room.sendLater(text('15555550100'));
  room.sendLater(text('15555550101'));
  await nextTurn();
  sendings[0]!.fail(refusal(false));
  sendings[1]!.fail(refusal(true));
  await room.close(5);
  t.same(takenBack, ['15555550100']);
});

t.test('a code that cannot be taken back is logged, and nothing is thrown', async (t) => {
  const { room, sendings, log, text } = openRoom();
  room.sendLater(
    text('15555550100', async () => {
      throw new Error('the database is away');
    }),
  );
  await nextTurn();
  sendings[0]!.fail(refusal(false));
  await room.close(5);
  t.match(log.lines.join(), 'the database is away');
});

t.test('no more than so many are under way; then every number is refused before anything is looked up', async (t) => {
  const { room, sendings, text } = openRoom(2);
  for (const to of ['15555550100', '15555550101']) {
    room.assertReady('confirmation', to);
    room.sendLater(text(to));
  }
  await nextTurn();
  t.throws(() => room.assertReady('confirmation', '15555550102'), {
    message: 'The server is busy, please retry.',
    retryAfterSeconds: 1,
  });
  sendings[0]!.succeed();
  await nextTurn();
  room.assertReady('confirmation', '15555550102');
  sendings[1]!.succeed();
  await room.close(5);
});

t.test('a test number gets nothing, and the id that says so', async (t) => {
  const { room, sendings, text } = openRoom();
  t.equal(room.newMessageId(TEST_NUMBER), 'test-otp');
  t.not(room.newMessageId('15555550100'), room.newMessageId('15555550100'));
  room.sendLater(text(TEST_NUMBER));
  await nextTurn();
  t.equal(sendings.length, 0);
  await room.close(5);
});

t.test('closing waits for what is under way, but not for ever', async (t) => {
  const { room, sendings, text } = openRoom();
  room.sendLater(text('15555550100'));
  await nextTurn();
  // The timer alone does not keep a process alive.
  const alive = setTimeout(() => undefined, 10_000);
  t.teardown(() => clearTimeout(alive));
  await room.close(0.01);
  let isClosed = false;
  const closing = room.close(60).then(() => {
    isClosed = true;
  });
  await nextTurn();
  t.notOk(isClosed);
  sendings[0]!.succeed();
  await closing;
});
