import { compileTemplate, type Template, TemplateError } from '../../go-template/index.js';
import { chooseContent, type MailContent } from '../config/parse-mail-contents.js';
import type { Config } from '../config/settings.js';
import { isNoticeKind, type MailKind, mailRow } from '../message-kinds.js';
import { variablesOfNotice } from '../outbox/notice-variables.js';
import { unlinkName } from '../outbox/unlinked-name.js';
import type { Log } from '../telemetry/log.js';
import { buildConfirmationUrl } from './confirmation-url.js';
import type { InvitingOrganization, MailMessage, MailPreview } from './contract.js';
import type { TemplateSource } from './template-source.js';

export interface ComposedMail {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
}

interface ComposerParts {
  readonly config: Config;
  readonly log: Pick<Log, 'warn'>;
  readonly templates: TemplateSource;
}

const MAX_SUBJECT_LENGTH = 250;

/**
 * Renders a mail with the operator's template, or with the built-in body if there is none or it fails.
 * @returns a subject of one line, HTML and plain text
 */
export async function composeMail(
  { config, log, templates }: ComposerParts,
  message: MailMessage,
): Promise<ComposedMail> {
  const values = variablesOf(config, message);
  const { subject = config.mails[message.kind].subject, body } = ownContentOf(config, message);
  const own = body === undefined ? await templates.find(message.kind) : templates.compile(body);
  const html = (own && renderOrWarn(log, message.kind, own, values)) ?? templates.builtIn(message.kind).render(values);
  // Loaded for the first mail: its package takes a start 40 ms of processor time.
  const { htmlToText } = await import('./plain-text.js');
  return { subject: composeSubject(subject, log, message.kind, values), html, text: htmlToText(html) };
}

/** A mail as it would be sent, with what is wrong with its template. */
export async function previewMail(parts: Omit<ComposerParts, 'log'>, message: MailMessage): Promise<MailPreview> {
  const problems: string[] = [];
  const warn = ({ error }: { error?: string }, text: string) => problems.push(`${text}: ${error}`);
  const mail = await composeMail({ ...parts, log: { warn } as never }, message);
  const isInSettings = ownContentOf(parts.config, message).body !== undefined;
  const problem = isInSettings ? null : parts.templates.problemOf(message.kind);
  if (problem !== null) problems.push(`The template cannot be used, so another is: ${problem}`);
  return { ...mail, problems };
}

const ownContentOf = ({ mails }: Pick<Config, 'mails'>, { kind, data }: MailMessage): MailContent =>
  chooseContent(mails[kind].contents, data);

/** The variables of supabase/auth's templates. A variable that the mail does not have is absent and prints nothing. */
export function variablesOf(config: Config, message: MailMessage): Readonly<Record<string, unknown>> {
  const link = buildConfirmationUrl(config, message);
  return {
    SiteURL: config.siteUrl,
    Email: message.email,
    Token: message.code,
    Data: message.data,
    ...(link === null
      ? {}
      : { [linkVariable(message)]: link, TokenHash: message.linkToken, RedirectTo: message.redirectTo }),
    ...(message.kind === 'email_change' ? { NewEmail: message.newEmail, SendingTo: message.to } : {}),
    ...(message.organization === undefined ? {} : variablesOfInvitation(message.organization)),
    ...(message.notice === undefined ? {} : variablesOfNotice(message.notice)),
  };
}

const PLAIN_ADDRESS = /^[\w.+-]+@[\w.-]+$/;

const variablesOfInvitation = ({ name, inviter, roles }: InvitingOrganization) => ({
  Organization: unlinkName(name),
  // An address leads to a mail at most.
  Inviter: PLAIN_ADDRESS.test(inviter) ? inviter : unlinkName(inviter),
  Roles: roles.join(', '),
});

/** A link that undoes a change must not look like one that confirms it. */
const linkVariable = ({ kind }: MailMessage): string => (isNoticeKind(kind) ? 'UndoURL' : 'ConfirmationURL');

function composeSubject(
  template: string,
  log: Pick<Log, 'warn'>,
  kind: MailKind,
  values: Readonly<Record<string, unknown>>,
): string {
  let subject = '';
  try {
    subject = compileTemplate(template, 'text').render(values);
  } catch (error) {
    warnUnusable(log, kind, 'subject', error);
  }
  // A value may contain line breaks, a subject may not (SEC-43).
  const text = subject.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();
  return text.slice(0, MAX_SUBJECT_LENGTH) || mailRow(kind).subject;
}

function renderOrWarn(
  log: Pick<Log, 'warn'>,
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

function warnUnusable(log: Pick<Log, 'warn'>, kind: MailKind, part: 'subject' | 'body', error: unknown): void {
  if (!(error instanceof TemplateError)) throw error;
  log.warn(
    { component: 'mail', mail_type: kind, error: error.message },
    `The template of a mail's ${part} does not work: the built-in one is used`,
  );
}
