import type { Config } from '../config/settings.js';
import type { Log } from '../telemetry/log.js';
import { buildConfirmationUrl } from './confirmation-url.js';
import type { MailKind, MailMessage } from './contract.js';
import { htmlToText } from './plain-text.js';
import { compileTemplate, type Template, TemplateError } from './template.js';
import type { TemplateSource } from './template-source.js';

/** A mail in words. */
export interface ComposedMail {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
}

const SUBJECT_OF = {
  confirmation: ['mailerSubjectsConfirmation', 'Confirm Your Signup'],
  invite: ['mailerSubjectsInvite', 'You have been invited'],
  recovery: ['mailerSubjectsRecovery', 'Reset Your Password'],
  magic_link: ['mailerSubjectsMagicLink', 'Your Magic Link'],
  email_change: ['mailerSubjectsEmailChange', 'Confirm Email Change'],
  reauthentication: ['mailerSubjectsReauthentication', 'Confirm Reauthentication'],
} as const satisfies Record<MailKind, readonly [keyof Config, string]>;

const MAX_SUBJECT_LENGTH = 250;

/**
 * Words a mail: the operator's template if there is one and it works, else the built-in body.
 * @returns whole texts; the subject is one line
 */
export async function composeMail(
  { config, log, templates }: { config: Config; log: Log; templates: TemplateSource },
  message: MailMessage,
): Promise<ComposedMail> {
  const values = variablesOf(config, message);
  const own = await templates.find(message.kind);
  const html = (own && renderOrWarn(log, message.kind, own, values)) ?? templates.builtIn(message.kind).render(values);
  return { subject: composeSubject(config, log, message.kind, values), html, text: htmlToText(html) };
}

/** The variables of delivery.md 5.4. What a mail does not have is absent, and prints nothing. */
export function variablesOf(config: Config, message: MailMessage): Readonly<Record<string, unknown>> {
  const link = buildConfirmationUrl(config, message);
  return {
    SiteURL: config.siteUrl,
    Email: message.email,
    Token: message.code,
    Data: message.data,
    ...(link === null ? {} : { ConfirmationURL: link, TokenHash: message.linkToken, RedirectTo: message.redirectTo }),
    ...(message.kind === 'email_change' ? { NewEmail: message.newEmail, SendingTo: message.to } : {}),
  };
}

function composeSubject(config: Config, log: Log, kind: MailKind, values: Readonly<Record<string, unknown>>): string {
  const [setting, fallback] = SUBJECT_OF[kind];
  let subject = '';
  try {
    subject = compileTemplate(config[setting], 'text').render(values);
  } catch (error) {
    warnUnusable(log, kind, 'subject', error);
  }
  // Values may hold line breaks: a subject has one line (SEC-43).
  const line = subject.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();
  return line.slice(0, MAX_SUBJECT_LENGTH) || fallback;
}

function renderOrWarn(
  log: Log,
  kind: MailKind,
  template: Template,
  values: Readonly<Record<string, unknown>>,
): string | null {
  try {
    return template.render(values);
  } catch (error) {
    warnUnusable(log, kind, 'body', error);
    return null;
  }
}

function warnUnusable(log: Log, kind: MailKind, part: 'subject' | 'body', error: unknown): void {
  if (!(error instanceof TemplateError)) throw error;
  log.warn(
    { component: 'mail', mail_type: kind, error: error.message },
    `The template of a mail's ${part} does not work: the built-in one is used`,
  );
}
