/** Mails and texts with example data, by the code that composes those that are sent. */

import { listVariables, TemplateError } from '../../go-template/index.js';
import { chooseContent } from '../config/parse-mail-contents.js';
import type { Config } from '../config/settings.js';
import { apiError } from '../errors.js';
import type { MailMessage, MailPreview } from '../mail/contract.js';
import { guideOf, type KindGuide } from '../mail/kind-guide.js';
import { isNoticeKind, type MailKind, mailKinds, mailRow, type NoticeKind, noticeKinds } from '../message-kinds.js';
import { EXAMPLE_PHONE, exampleMail, exampleNoticeText, NEW_EMAIL } from '../outbox/examples.js';
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
  /** Of AUTH_MAILER_CONTENTS_<kind>; `default` may be among them. */
  readonly languages: readonly string[];
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
      has_own_template: mail.template !== '' || Object.keys(mail.contents).length > 0,
      languages: Object.keys(mail.contents),
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
export function readKind(wanted: string): MailKind {
  const kind = mailKinds.find((known) => known === wanted);
  if (kind === undefined) throw apiError('messageKindUnknown');
  return kind;
}

function exampleOf(config: Config, kind: MailKind, { data }: Example): MailMessage {
  const email = 'ada@example.com';
  const to = kind === 'email_change' ? NEW_EMAIL : email;
  return exampleMail(config, kind, { to, email, data: data as never });
}

/** What the author of a mail has to know. */
export const guideOfKind = ({ config }: Pick<App, 'config'>, kind: MailKind, example: Example): KindGuide =>
  guideOf(config, exampleOf(config, kind, example));

export interface ShownMail extends MailPreview {
  /** Variables that the mail reads and that it never has. */
  readonly unknown: readonly string[];
}

/** @param config the one in use, or a draft */
export async function previewOf(app: App, kind: MailKind, example: Example, config = app.config): Promise<ShownMail> {
  const message = exampleOf(config, kind, example);
  const mail = await (config === app.config ? app.mail.preview(message) : app.mail.preview(message, config));
  const known = guideOf(config, message).variables.map(({ name }) => name);
  const { subject = config.mails[kind].subject, body = '' } = chooseContent(config.mails[kind].contents, message.data);
  const read = new Set([subject, body].flatMap(variablesIn));
  return { ...mail, unknown: [...read].filter((name) => !known.includes(name)) };
}

function variablesIn(template: string): readonly string[] {
  try {
    return listVariables(template);
  } catch (error) {
    // The preview says so.
    if (error instanceof TemplateError) return [];
    throw error;
  }
}
