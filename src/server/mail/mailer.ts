import { randomUUID } from 'node:crypto';
import type { ConnectionOptions } from 'node:tls';
import type { Database } from '../../db/types.js';
import type { Config } from '../config/settings.js';
import { isNoticeKind, type MailKind } from '../message-kinds.js';
import { newOutboxCounts, type OutboxCounts, type OutboxTiming } from '../outbox/contract.js';
import { NOTICE_MAX_AGE_SECONDS, startOutbox } from '../outbox/outbox.js';
import type { Log } from '../telemetry/log.js';
import { createAddressCheck } from './address-check.js';
import { type ComposedMail, composeMail, previewMail } from './compose.js';
import { buildConfirmationUrl } from './confirmation-url.js';
import type { Mailer, MailFailed, MailMessage } from './contract.js';
import { deliverFromOutbox, type MailHook, mergeSides, senderOfRequests } from './hook-delivery.js';
import { MailError } from './mail-error.js';
import { isOneAddress } from './recipient.js';
import { createSealer, hashRecipient } from './seal.js';
import { createSmtpPool } from './smtp-pool.js';
import { mailHost, smtpServerOf } from './smtp-settings.js';
import { createTemplateSource, previewPartsOf, type TemplateCache, type TemplateSource } from './template-source.js';

export interface MailerOptions {
  readonly config: Config;
  readonly db: Database;
  readonly log: Log;
  /**
   * Called once for each mail whose first attempt failed, so that its send interval can be given back. May be
   * asynchronous; its errors are logged.
   */
  readonly onFailed?: ((failed: MailFailed) => unknown) | undefined;
  /** Wraps each delivery, e.g. in a span. */
  readonly around?: ((kind: MailKind, deliver: () => Promise<void>) => Promise<void>) | undefined;
  /** For tests. */
  readonly timing?: Partial<OutboxTiming> & { readonly attemptSeconds?: number };
  /** Receives each mail under `latchkey dev`, unless a mail server is set. */
  readonly capture?: ((mail: CapturedMail) => void) | undefined;
  /** Delivers all mails in place of the mail server. */
  readonly hook?: MailHook | null | undefined;
  /** Additional TLS options; the certificate is always verified. */
  readonly tls?: ConnectionOptions;
  /** What a reload hands on. */
  readonly kept?: MailState | undefined;
}

/** What outlives a mailer: its counts and the templates it fetched. */
export interface MailState {
  readonly counts: OutboxCounts;
  readonly templates: TemplateCache;
}

export const newMailState = (): MailState => ({ counts: newOutboxCounts(), templates: new Map() });

export interface CapturedMail extends ComposedMail {
  readonly to: string;
}

/** Starts to send the mails of the outbox. Without a mail server it starts nothing and stores nothing. */
export function startMailer(options: MailerOptions): Mailer {
  const missing = missingSetting(options.config);
  if (missing === null || options.hook) return startSendingMailer({ ...options, capture: undefined });
  return options.capture === undefined ? createDisabledMailer(options, missing) : startSendingMailer(options);
}

function startSendingMailer(options: MailerOptions): Mailer {
  const { config, db, log, onFailed, capture, around, timing = {}, tls, kept = newMailState(), hook = null } = options;
  const sealer = createSealer(config);
  const templates = createTemplateSource(config, log, { kept: kept.templates });
  const stopReloading = hook === null ? keepLoaded(templates, config) : () => undefined;
  const smtp = createSmtpPool({ ...smtpServerOf(config), tls }, timing.attemptSeconds);

  async function send(
    id: string,
    message: MailMessage,
    beforeData: () => Promise<void>,
    userId: string | null,
  ): Promise<void> {
    if (hook !== null) return deliverFromOutbox(hook, db, { id, userId, message });
    const { kind, to } = message;
    if (!isOneAddress(to)) {
      throw new MailError('The recipient is not a single plain address', { stage: 'open', isFinal: true });
    }
    const composed = await composeMail({ config, log, templates }, message);
    if (capture !== undefined) return capture({ to, ...composed });
    const sender = config.smtpAdminEmail;
    const { buildMessage } = await import('./mime-message.js');
    const mail = await buildMessage({
      id,
      host: mailHost(config.apiExternalUrl),
      from: { name: config.smtpSenderName, address: sender },
      to,
      ...composed,
      headers: customHeaders(config.smtpHeaders, kind),
    });
    const reply = await smtp.send({ from: sender, to }, mail, beforeData);
    if (!config.smtpLoggingEnabled) return;
    const fields = { component: 'mail', event: 'mail.send', mail_id: id, mail_type: kind };
    log.info({ ...fields, mail_from: sender, mail_to: to, reply }, 'A mail was handed to the mail server');
  }

  const outbox = startOutbox({
    db,
    log,
    channel: 'mail',
    open: sealer.open,
    recipientOf: ({ to }) => to,
    maxAges: { code: config.mailerOtpExpSeconds, notice: NOTICE_MAX_AGE_SECONDS },
    send:
      around === undefined
        ? send
        : (id, message, beforeData, userId) => around(message.kind, () => send(id, message, beforeData, userId)),
    logFields: { mail_server: config.smtpHost },
    onFailed: ({ kind, to, email }, isRetried) => onFailed?.({ kind, to, email, isRetried }),
    timing,
    counts: kept.counts,
  });
  return {
    isOn: true,
    sendNow: senderOfRequests(hook),
    seal: (messages) =>
      (hook === null ? messages : mergeSides(messages)).map((message) => {
        const id = randomUUID();
        const { kind } = message;
        return { id, kind, recipient_hash: hashRecipient(replacedBy(message, id)), sealed: sealer.seal(id, message) };
      }),
    // The hook decides about addresses itself.
    accepts: hook === null ? createAddressCheck(config, log) : async () => true,
    linkOf: (message) => buildConfirmationUrl(config, message)!,
    preview: (message, draft) => previewMail(previewPartsOf({ config, log, templates }, message.kind, draft), message),
    recipientOf: (id, sealed) => sealer.open(id, sealed)?.to ?? null,
    nudge: outbox.nudge,
    stats: outbox.stats,
    close(timeoutSeconds) {
      stopReloading();
      return outbox.close(timeoutSeconds, smtp.close);
    },
    async retire() {
      stopReloading();
      await outbox.retire();
      smtp.close();
    },
  };
}

/** What a newer mail has to agree with to replace this one while it waits. */
function replacedBy({ kind, to, organization }: MailMessage, id: string): string {
  // Each notice tells of another change: a newer one does not replace it. Nor does another organization's invitation.
  if (isNoticeKind(kind)) return id;
  return organization === undefined ? to : `${organization.id} ${to}`;
}

/** Loads the templates, so that the first mail does not wait for them. @returns a function that ends the reloading */
function keepLoaded(templates: TemplateSource, config: Config): () => void {
  templates.load();
  if (!config.mailerTemplateReloadingEnabled) return () => undefined;
  const seconds = Math.max(1, config.mailerTemplateRetryIntervalSeconds);
  const timer = setInterval(templates.reload, seconds * 1000).unref();
  return () => clearInterval(timer);
}

const WARN_EVERY_MS = 60_000;

function createDisabledMailer({ config, log, kept }: MailerOptions, missing: string): Mailer {
  const counts = kept?.counts ?? newOutboxCounts();
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
    accepts: async () => true,
    linkOf: (message) => buildConfirmationUrl(config, message)!,
    preview: (message, draft) => {
      const templates = createTemplateSource(config, log);
      return previewMail(previewPartsOf({ config, log, templates }, message.kind, draft), message);
    },
    recipientOf: (id, sealed) => createSealer(config).open(id, sealed)?.to ?? null,
    nudge: () => undefined,
    stats: () => counts,
    close: async () => undefined,
    retire: async () => undefined,
  };
}

function missingSetting(config: Pick<Config, 'smtpHost' | 'smtpAdminEmail'>): string | null {
  if (config.smtpHost === '') return 'AUTH_SMTP_HOST, or AUTH_MAILER_AUTOCONFIRM=true to do without mails';
  return config.smtpAdminEmail === '' ? 'AUTH_SMTP_ADMIN_EMAIL, the sender of all mails' : null;
}

/** Joins several values of a header, and replaces `$messageType` by the kind of mail. */
function customHeaders(headers: Config['smtpHeaders'], kind: MailKind): (readonly [string, string])[] {
  return Object.entries(headers)
    .map(([name, values]) => {
      const value = values.filter((text) => text !== '').join(', ');
      return [name, value.replaceAll('$messageType', kind)] as const;
    })
    .filter(([, value]) => value !== '');
}
