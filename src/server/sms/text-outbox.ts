/** Texts of the outbox: codes for the hook send_sms in the background, and notices of account changes. */
import { createHash, randomUUID } from 'node:crypto';
import { findUserById } from '../../db/admin-users.js';
import type { Database } from '../../db/types.js';
import type { UserRow } from '../../db/user-rows.js';
import type { Config } from '../config/settings.js';
import type { SendSms } from '../hooks/contract.js';
import { isNoticeKind, noticeKinds } from '../message-kinds.js';
import { newOutboxCounts, type OutboxCounts, type OutboxTiming } from '../outbox/contract.js';
import { DeliveryError } from '../outbox/delivery-error.js';
import { NOTICE_MAX_AGE_SECONDS, startOutbox } from '../outbox/outbox.js';
import { storedTextKind } from '../outbox/stored-kind.js';
import { createTextSealer } from '../sealing/text-sealer.js';
import type { Log } from '../telemetry/log.js';
import { composeText } from './compose-text.js';
import { type SmsClient, SmsSendError, type TextMessage, type TextOutbox } from './contract.js';

export interface TextOutboxOptions {
  readonly config: Config;
  readonly db: Database;
  readonly log: Log;
  readonly client: Pick<SmsClient, 'deliver' | 'testCode'>;
  /** Delivers all texts in place of a gateway. */
  readonly hook?: SendSms | null;
  readonly viewUser: (row: Readonly<UserRow>) => Record<string, unknown>;
  /** Called once for each code whose first attempt failed, so that its send interval can be given back. */
  readonly onFailed?: ((phone: string) => unknown) | undefined;
  /** Wraps each delivery, e.g. in a span. */
  readonly around?: ((kind: string, deliver: () => Promise<void>) => Promise<void>) | undefined;
  /** For tests. */
  readonly timing?: Partial<OutboxTiming>;
  /** What a reload hands on. */
  readonly counts?: OutboxCounts | undefined;
}

/** Starts to send the texts of the outbox. Without the hook and notices it starts nothing and stores nothing. */
export function startTextOutbox(options: TextOutboxOptions): TextOutbox {
  const { config, db, log, client, hook = null, viewUser, onFailed, counts = newOutboxCounts() } = options;
  if (hook === null && !noticeKinds.some((kind) => config.texts[kind].enabled)) return idleOutbox(counts);
  const { around = (_kind, deliver) => deliver() } = options;
  const sealer = createTextSealer(config, 'latchkey text outbox v1');

  async function callHook(call: SendSms, id: string, message: TextMessage, userId: string | null): Promise<void> {
    const { kind, to: phone, code: otp, ip, data, notice } = message;
    const row = userId === null ? undefined : await findUserById(db, userId);
    const user = row === undefined ? { phone, user_metadata: data } : viewUser(row);
    const text = {
      ...{ phone, otp },
      ...(notice !== undefined && { type: kind, message: composeText(config, log, message) }),
    };
    const delivery = await call.deliver(text, user, ip ?? notice?.ip ?? null, id);
    if (!delivery.isDone) throw new DeliveryError(delivery.reason, { isFinal: delivery.isRefused });
  }

  /** A gateway has no way to recognise a repeated text, so it gets each one once (REL-12). */
  async function callGateway(message: TextMessage, commit: () => Promise<void>): Promise<void> {
    const { kind, to, code } = message;
    const text = composeText(config, log, message);
    await commit();
    try {
      await client.deliver(kind, { to, channel: 'sms', code, text });
    } catch (error) {
      if (!(error instanceof SmsSendError)) throw error;
      const { isAboutMessage: isFinal, isOutcomeUnknown } = error;
      throw new DeliveryError(error.message, { isFinal, isOutcomeUnknown });
    }
  }

  function open(id: string, sealed: string): TextMessage | null {
    const text = sealer.open(id, sealed);
    return text === null ? null : (JSON.parse(text) as TextMessage);
  }

  const outbox = startOutbox<TextMessage>({
    db,
    log,
    channel: 'text',
    open,
    recipientOf: ({ to }) => to,
    maxAges: { code: config.smsOtpExpSeconds, notice: NOTICE_MAX_AGE_SECONDS },
    send: (id, message, commit, userId) =>
      around(message.kind, () => (hook === null ? callGateway(message, commit) : callHook(hook, id, message, userId))),
    onFailed: ({ kind, to }) => (isNoticeKind(kind) ? undefined : onFailed?.(to)),
    timing: options.timing,
    counts,
  });
  return {
    seal(message) {
      if (client.testCode(message.to) !== null) return [];
      const id = randomUUID();
      // Each notice tells of another change: a newer one does not replace it.
      const recipient = isNoticeKind(message.kind) ? id : message.to;
      const recipient_hash = createHash('sha256').update(recipient).digest('hex');
      const sealed = sealer.seal(id, JSON.stringify(message));
      return [{ id, kind: storedTextKind(message.kind), recipient_hash, sealed }];
    },
    recipientOf: (id, sealed) => open(id, sealed)?.to ?? null,
    nudge: outbox.nudge,
    stats: outbox.stats,
    close: (timeoutSeconds) => outbox.close(timeoutSeconds, () => undefined),
    retire: outbox.retire,
  };
}

const idleOutbox = (counts: OutboxCounts): TextOutbox => ({
  seal: () => [],
  recipientOf: () => null,
  nudge: () => undefined,
  stats: () => counts,
  close: async () => undefined,
  retire: async () => undefined,
});
