/** Mails and texts with example data, by the code that composes those that are sent. */

import { apiError } from '../errors.js';
import type { MailPreview } from '../mail/contract.js';
import { isNoticeKind, type MailKind, mailKinds, mailRow, type NoticeKind, noticeKinds } from '../message-kinds.js';
import { EXAMPLE_PHONE, exampleMail, exampleNoticeText } from '../outbox/examples.js';
import type { App } from '../runtime/app.js';
import { composeText } from '../sms/compose-text.js';
import { renderText } from '../sms/text.js';

export interface MailTemplate {
  readonly kind: MailKind;
  /** As `a password recovery`. */
  readonly in_words: string;
  readonly subject: string;
  readonly is_notice: boolean;
  /** False: a notice that the settings leave off. */
  readonly is_sent: boolean;
  /** False: the built-in template. */
  readonly has_own_template: boolean;
}

export const listMailTemplates = ({ config }: Pick<App, 'config'>): readonly MailTemplate[] =>
  mailKinds.map((kind) => {
    const mail = config.mails[kind];
    return {
      kind,
      in_words: mailRow(kind).inWords,
      subject: mail.subject,
      is_notice: isNoticeKind(kind),
      is_sent: !('enabled' in mail) || mail.enabled,
      has_own_template: mail.template !== '',
    };
  });

export interface TextTemplate {
  /** `code`, `factor_code`, or the kind of a notice. */
  readonly kind: string;
  readonly is_sent: boolean;
  readonly text: string;
  readonly problems: readonly string[];
}

/** Texts are short, so all are composed at once. */
export function listTextTemplates(app: App, data: Example['data']): readonly TextTemplate[] {
  const { config } = app;
  const code = (kind: string, template: string, length: number, isSent: boolean): TextTemplate => ({
    ...{ kind, is_sent: isSent, text: renderText(template, '0'.repeat(length)), problems: [] },
  });
  return [
    code('code', config.smsTemplate, config.smsOtpLength, config.externalPhoneEnabled),
    code('factor_code', config.mfaPhoneTemplate, config.mfaPhoneOtpLength, config.mfaPhoneEnrollEnabled),
    ...noticeKinds.map((kind) => composeNotice(app, kind, data)),
  ];
}

function composeNotice({ config }: App, kind: NoticeKind, data: Example['data']): TextTemplate {
  const problems: string[] = [];
  const warn = ({ error }: { error?: string }, text: string) => problems.push(`${text}: ${error}`);
  const text = composeText(config, { warn } as never, exampleNoticeText(kind, { to: EXAMPLE_PHONE, data }));
  return { kind, is_sent: config.texts[kind].enabled, text, problems };
}

export interface Example {
  /** user_metadata of the example's user, by which templates may choose a language. */
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * @param language set as `locale` and `language` of the example's user_metadata
 * @param text further user_metadata as JSON
 * @throws ApiError exampleDataInvalid
 */
export function readExample(language: string | undefined, text: string | undefined): Example {
  const usual = { full_name: 'Ada Example', ...(language && { locale: language, language }) };
  if (!text) return { data: usual };
  try {
    const data: unknown = JSON.parse(text);
    if (typeof data === 'object' && data !== null && !Array.isArray(data)) return { data: { ...usual, ...data } };
  } catch {
    // Not JSON.
  }
  throw apiError('exampleDataInvalid');
}

/** @throws ApiError messageKindUnknown */
export function previewOf(app: App, wanted: string, { data }: Example): Promise<MailPreview> {
  const kind = mailKinds.find((known) => known === wanted);
  if (kind === undefined) throw apiError('messageKindUnknown');
  const email = 'ada@example.com';
  const to = kind === 'email_change' ? 'new@example.com' : email;
  return app.mail.preview(exampleMail(app.config, kind, { to, email, data: data as never }));
}
