import { randomUUID } from 'node:crypto';
import type { ConnectionOptions } from 'node:tls';
import type { Database } from '../../db/types.js';
import type { Config } from '../config/settings.js';
import type { Log } from '../telemetry/log.js';
import { isOneAddress } from './addresses.js';
import { type ComposedMail, composeMail } from './compose.js';
import { buildConfirmationUrl } from './confirmation-url.js';
import type { MailKind, MailMessage, MailRoom } from './contract.js';
import { MailError } from './failure.js';
import { buildMessage } from './mailer.js';
import { startOutbox } from './outbox.js';
import type { MailFailed, MailStats, OutboxTiming } from './outbox-contract.js';
import { createSealer, hashRecipient } from './seal.js';
import { createSmtpPool } from './smtp-pool.js';
import { mailHost, smtpServerOf } from './smtp-settings.js';
import { createTemplateSource } from './template-source.js';

export type { MailFailed, MailStats } from './outbox-contract.js';
export { hashRecipient } from './seal.js';

export interface MailRoomOptions {
  readonly config: Config;
  readonly db: Database;
  readonly log: Log;
  /**
   * Told once of every mail that did not arrive at the first attempt, so that the interval it took can be given back
   * (decisions.md 12). May be asynchronous; what it throws is logged.
   */
  readonly onFailed?: ((failed: MailFailed) => unknown) | undefined;
  /** Put around each delivery, e.g. a span. */
  readonly around?: ((kind: MailKind, deliver: () => Promise<void>) => Promise<void>) | undefined;
  /** For tests. */
  readonly timing?: Partial<OutboxTiming> & { readonly attemptSeconds?: number };
  /** Takes each mail in place of a mail server, under `latchkey dev`; a mail server that is set wins. */
  readonly capture?: ((mail: CapturedMail) => void) | undefined;
  /** Additions to the TLS options; the certificate is verified in any case. */
  readonly tls?: ConnectionOptions;
}

/** A mail as it would have been sent. */
export interface CapturedMail extends ComposedMail {
  readonly to: string;
}

export interface OpenMailRoom extends MailRoom {
  stats(): MailStats;
}

/** Opens the mail room and begins to send what waits. Starts nothing while mail is off. */
export function openMailRoom(options: MailRoomOptions): OpenMailRoom {
  const missing = missingSetting(options.config);
  if (missing === null) return openSendingRoom({ ...options, capture: undefined });
  return options.capture === undefined ? closedRoom(options, missing) : openSendingRoom(options);
}

function openSendingRoom(options: MailRoomOptions): OpenMailRoom {
  const { config, db, log, onFailed, capture, around, timing = {}, tls } = options;
  const sealer = createSealer(config);
  const templates = createTemplateSource(config, log);
  const host = mailHost(config.apiExternalUrl);
  const smtp = createSmtpPool({ ...smtpServerOf(config), tls }, timing.attemptSeconds);

  async function send(id: string, message: MailMessage, beforeData: () => Promise<void>): Promise<void> {
    if (!isOneAddress(message.to)) {
      throw new MailError('The recipient is not one plain address', { stage: 'open', isFinal: true });
    }
    const composed = await composeMail({ config, log, templates }, message);
    if (capture !== undefined) return capture({ to: message.to, ...composed });
    const mail = await buildMessage({
      id,
      host,
      from: { name: config.smtpSenderName, address: config.smtpAdminEmail },
      to: message.to,
      ...composed,
      headers: customHeaders(config.smtpHeaders, message.kind),
    });
    const reply = await smtp.send({ from: config.smtpAdminEmail, to: message.to }, mail, beforeData);
    if (config.smtpLoggingEnabled) {
      log.info(
        {
          component: 'mail',
          event: 'mail.send',
          mail_id: id,
          mail_type: message.kind,
          mail_from: config.smtpAdminEmail,
          mail_to: message.to,
          reply,
        },
        'A mail was handed to the mail server',
      );
    }
  }

  const outbox = startOutbox({
    db,
    log,
    sealer,
    maxAgeSeconds: config.mailerOtpExpSeconds,
    send:
      around === undefined
        ? send
        : (id, message, beforeData) => around(message.kind, () => send(id, message, beforeData)),
    mailServer: config.smtpHost,
    onFailed: onFailed ?? (() => undefined),
    timing,
  });
  return {
    isOn: true,
    seal: (messages) =>
      messages.map((message) => {
        const id = randomUUID();
        return {
          id,
          kind: message.kind,
          recipient_hash: hashRecipient(message.to),
          sealed: sealer.seal(id, message),
        };
      }),
    linkOf: (message) => buildConfirmationUrl(config, message)!,
    nudge: outbox.nudge,
    stats: outbox.stats,
    close: async (timeoutSeconds) => {
      await outbox.close(timeoutSeconds, smtp.close);
    },
  };
}

const WARN_EVERY_MS = 60_000;

function closedRoom({ config, log }: Pick<MailRoomOptions, 'config' | 'log'>, missing: string): OpenMailRoom {
  const warnedAt = new Map<MailKind, number>();
  return {
    isOn: false,
    seal(messages) {
      for (const { kind } of messages) {
        if (Date.now() - (warnedAt.get(kind) ?? 0) < WARN_EVERY_MS) continue;
        warnedAt.set(kind, Date.now());
        log.warn({ component: 'mail', mail_type: kind }, `No mail leaves: set ${missing}`);
      }
      return [];
    },
    linkOf: (message) => buildConfirmationUrl(config, message)!,
    nudge: () => undefined,
    stats: () => ({ waiting: 0, sent: 0, retried: 0, failed: { refused: 0, expired: 0, unknown: 0 } }),
    close: async () => undefined,
  };
}

function missingSetting(config: Pick<Config, 'smtpHost' | 'smtpAdminEmail'>): string | null {
  if (config.smtpHost === '') return 'AUTH_SMTP_HOST, or AUTH_MAILER_AUTOCONFIRM=true to do without mails';
  return config.smtpAdminEmail === '' ? 'AUTH_SMTP_ADMIN_EMAIL, the sender of all mails' : null;
}

/** Several values of a name become one, and `$messageType` the kind of mail (delivery.md 5.7). */
function customHeaders(headers: Config['smtpHeaders'], kind: MailKind): (readonly [string, string])[] {
  return Object.entries(headers)
    .map(([name, values]) => {
      const line = values.filter((value) => value !== '').join(', ');
      return [name, line.replaceAll('$messageType', kind)] as const;
    })
    .filter(([, value]) => value !== '');
}
