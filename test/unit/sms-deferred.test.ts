import { setImmediate as nextTurn } from 'node:timers/promises';
import { apiError } from '../../src/server/errors.js';
import { type DeferredText, type SmsClient, SmsSendError } from '../../src/server/sms/contract.js';
import { withDeferredTexts } from '../../src/server/sms/deferred.js';
import { keepLog } from '../support/quiet-log.js';
import { t } from '../support/tap.js';

const TEST_NUMBER = '15555550199';

interface Sending {
  readonly to: string;
  succeed(): void;
  fail(error: Error): void;
}

/** A sender whose client resolves when the test lets it. */
function createSender(maxInFlight?: number) {
  const sendings: Sending[] = [];
  const log = keepLog();
  const client: SmsClient = {
    testCode: (phone) => (phone === TEST_NUMBER ? '424242' : null),
    supports: () => true,
    isQueued: false,
    deliver: async () => ({ messageId: '' }),
    assertReady: () => undefined,
    sendFactorCode: async () => undefined,
    send: (_purpose, to) =>
      new Promise((resolve, reject) => {
        sendings.push({ to, succeed: () => resolve({ messageId: 'SM1' }), fail: reject });
      }),
  };
  const sender = withDeferredTexts(client, log, maxInFlight);
  const takenBack: string[] = [];
  const text = (to: string, takeBack?: () => Promise<void>): DeferredText => ({
    ...{ messageId: sender.newMessageId(to), purpose: 'confirmation', to, channel: 'sms', code: '123456' },
    takeBack: takeBack ?? (async () => void takenBack.push(to)),
  });
  return { sender, sendings, log, takenBack, text };
}

const failure = (isOutcomeUnknown: boolean) =>
  apiError('smsSendFailed', { kind: 'confirmation', reason: 'x' }, { cause: new SmsSendError('x', isOutcomeUnknown) });

t.test('a text leaves after the current event-loop turn, and the log has both ids', async (t) => {
  const { sender, sendings, log, text } = createSender();
  const later = text('15555550100');
  sender.sendLater(later);
  await Promise.resolve();
  t.equal(sendings.length, 0, 'the response is first');
  await nextTurn();
  t.equal(sendings.length, 1);
  sendings[0]!.succeed();
  await sender.close(5);
  t.match(log.lines.join(), later.messageId);
  t.match(log.lines.join(), 'SM1');
  t.notMatch(log.lines.join(), /15555550100|123456/);
});

t.test('the code of an undelivered text is withdrawn; that of a text that may have arrived is not', async (t) => {
  const { sender, sendings, takenBack, text } = createSender();
  sender.sendLater(text('15555550100'));
  sender.sendLater(text('15555550101'));
  await nextTurn();
  sendings[0]!.fail(failure(false));
  sendings[1]!.fail(failure(true));
  await sender.close(5);
  t.same(takenBack, ['15555550100']);
});

t.test('a code that cannot be withdrawn is logged, and nothing is thrown', async (t) => {
  const { sender, sendings, log, text } = createSender();
  sender.sendLater(
    text('15555550100', async () => {
      throw new Error('the database is gone');
    }),
  );
  await nextTurn();
  sendings[0]!.fail(failure(false));
  await sender.close(5);
  t.match(log.lines.join(), 'the database is gone');
});

t.test('the number of texts in flight is limited; every further number is refused before any look-up', async (t) => {
  const { sender, sendings, text } = createSender(2);
  for (const to of ['15555550100', '15555550101']) {
    sender.assertReady('confirmation', to);
    sender.sendLater(text(to));
  }
  await nextTurn();
  t.throws(() => sender.assertReady('confirmation', '15555550102'), {
    message: 'The server is busy, please retry.',
    retryAfterSeconds: 1,
  });
  sendings[0]!.succeed();
  await nextTurn();
  sender.assertReady('confirmation', '15555550102');
  sendings[1]!.succeed();
  await sender.close(5);
});

t.test('a test number gets no text, and its fixed id', async (t) => {
  const { sender, sendings, text } = createSender();
  t.equal(sender.newMessageId(TEST_NUMBER), 'test-otp');
  t.not(sender.newMessageId('15555550100'), sender.newMessageId('15555550100'));
  sender.sendLater(text(TEST_NUMBER));
  await nextTurn();
  t.equal(sendings.length, 0);
  await sender.close(5);
});

t.test('close waits for the texts in flight, up to a time limit', async (t) => {
  const { sender, sendings, text } = createSender();
  sender.sendLater(text('15555550100'));
  await nextTurn();
  // The timer alone does not keep a process alive.
  const alive = setTimeout(() => undefined, 10_000);
  t.teardown(() => clearTimeout(alive));
  await sender.close(0.01);
  let isClosed = false;
  const closing = sender.close(60).then(() => {
    isClosed = true;
  });
  await nextTurn();
  t.notOk(isClosed);
  sendings[0]!.succeed();
  await closing;
});
