/** The table of messages: one row for each kind of mail or text. Settings, codes, links, limits and types derive from it. */

import type { MessageRow } from './message-row.js';

/** The row of a notice without a link. @param of what has changed, in the documentation of the settings */
const notice = <Subject extends string>(of: string, subject: Subject) =>
  ({
    codes: [],
    stamps: [],
    mail: { inWords: `a notice of ${of}`, subject, verifyTypes: [], limits: [], intervalSeconds: 0 },
    isNotice: true,
  }) as const;

const table = {
  confirmation: {
    codes: ['confirmation', 'sign_up'],
    stamps: ['confirmation_sent_at'],
    mail: {
      inWords: 'a sign-up confirmation',
      subject: 'Confirm Your Signup',
      verifyTypes: ['signup', 'email'],
      pathOf: 'confirmation',
      pageTitle: 'Confirm your address',
      // It may leave in place of a magic link.
      limits: ['confirmation', 'sign_in_mail'],
      intervalSeconds: 900,
    },
    text: { verifyTypes: ['sms'] },
  },
  invite: {
    codes: ['confirmation', 'sign_up'],
    stamps: ['confirmation_sent_at', 'invited_at'],
    mail: {
      inWords: 'an invite',
      subject: 'You have been invited',
      verifyTypes: ['invite', 'email'],
      pathOf: 'invite',
      pageTitle: 'Accept the invitation',
      limits: [],
      intervalSeconds: 0,
    },
  },
  // Its link is stored with the invitation, and no account is looked up for it.
  organization_invite: {
    codes: [],
    stamps: [],
    mail: {
      inWords: 'an organization invite',
      subject: 'You have been invited to an organization',
      verifyTypes: ['organization_invite'],
      pathOf: 'organization_invite',
      pageTitle: 'Join the organization',
      limits: ['organization_invite'],
      intervalSeconds: 60,
    },
  },
  recovery: {
    codes: ['recovery'],
    stamps: ['recovery_sent_at'],
    mail: {
      inWords: 'a password recovery',
      subject: 'Reset Your Password',
      verifyTypes: ['recovery', 'email'],
      pathOf: 'recovery',
      pageTitle: 'Go on to your new password',
      limits: ['recovery'],
      intervalSeconds: 60,
    },
  },
  magic_link: {
    codes: ['recovery'],
    stamps: ['recovery_sent_at'],
    mail: {
      inWords: 'a magic link',
      subject: 'Your Magic Link',
      verifyTypes: ['magiclink', 'email'],
      pathOf: 'recovery',
      pageTitle: 'Sign in',
      limits: ['sign_in_mail'],
      intervalSeconds: 60,
    },
  },
  email_change: {
    codes: ['email_change_current', 'email_change_new'],
    stamps: ['email_change_sent_at'],
    mail: {
      inWords: 'an email change',
      subject: 'Confirm Email Change',
      verifyTypes: ['email_change'],
      pathOf: 'email_change',
      pageTitle: 'Confirm the change of address',
      limits: ['email_change'],
      intervalSeconds: 60,
    },
  },
  phone_change: {
    codes: ['phone_change'],
    stamps: ['phone_change_sent_at'],
    text: { verifyTypes: ['phone_change'] },
  },
  reauthentication: {
    codes: ['reauthentication'],
    stamps: ['reauthentication_sent_at'],
    mail: {
      inWords: 'a reauthentication',
      subject: 'Confirm Reauthentication',
      verifyTypes: [],
      limits: ['reauthentication'],
      intervalSeconds: 60,
    },
    text: { verifyTypes: [] },
  },
  password_changed_notification: notice('a new password', 'Your password was changed'),
  email_changed_notification: {
    codes: [],
    stamps: [],
    mail: {
      inWords: 'a notice of a new address, at the old one',
      subject: 'Your email address was changed',
      verifyTypes: ['email_change_undo'],
      pathOf: 'email_change',
      pageTitle: 'Take your address back',
      limits: [],
      intervalSeconds: 0,
    },
    isNotice: true,
  },
  phone_changed_notification: notice('a new phone number', 'Your phone number was changed'),
  identity_linked_notification: notice('a new identity', 'A new sign-in method was linked to your account'),
  identity_unlinked_notification: notice('a removed identity', 'A sign-in method was removed from your account'),
  mfa_factor_enrolled_notification: notice(
    'a new second factor',
    'A new verification method was added to your account',
  ),
  mfa_factor_unenrolled_notification: notice(
    'a removed second factor',
    'A verification method was removed from your account',
  ),
  mfa_factors_reset_notification: notice(
    'the removal of all second factors by an administrator',
    'All verification methods were removed from your account',
  ),
  mfa_recovery_code_used_notification: notice('a used recovery code', 'A recovery code of your account was used'),
  mfa_recovery_codes_regenerated_notification: notice(
    'new recovery codes',
    'The recovery codes of your account were replaced',
  ),
  passkey_added_notification: notice('a new passkey', 'A passkey was added to your account'),
  passkey_removed_notification: notice('a removed passkey', 'A passkey was removed from your account'),
  sign_in_new_device_notification: notice('a sign-in on a new device', 'A new device signed in to your account'),
  recovery_used_notification: notice('a used recovery link or code', 'Your account was recovered'),
  first_proof_notification: notice(
    'earlier access that the first proof of an address has removed',
    'Earlier access to your account was removed',
  ),
  sessions_revoked_notification: notice('ended sessions', 'Your other sessions were ended'),
  account_deleted_notification: notice('the deletion of the account', 'Your account was deleted'),
  impersonated_notification: notice('an operator who acts for the user', 'Support signed in to your account'),
  organization_domain_lost_notification: {
    ...notice('a lost domain, to the owners of its organization', 'A domain of your organization no longer counts'),
    hasNoSwitch: true,
  },
  password_leaked_notification: {
    ...notice('a leaked password, at its sign-in', 'Your password is in a list of leaked passwords'),
    hasNoSwitch: true,
  },
} as const satisfies Readonly<Record<string, MessageRow>>;

type Table = typeof table;
type Pathed<Row> = Row extends { pathOf: infer Kind } ? Kind : never;

export type MessageKind = keyof Table;
export type MailKind = { [K in MessageKind]: Table[K] extends { mail: object } ? K : never }[MessageKind];
export type NoticeKind = { [K in MessageKind]: Table[K] extends { isNotice: true } ? K : never }[MessageKind];
/** The kinds that have an AUTH_MAILER_URLPATHS_<kind>. */
export type PathKind = Pathed<Table[MailKind]['mail']>;
/** The kinds of texts with a code. */
export type TextKind = { [K in MessageKind]: Table[K] extends { text: object } ? K : never }[MessageKind];
export type MailLimit = Table[MailKind]['mail']['limits'][number];
/** What a code or link proves; a decoy proves nothing. */
export type CodeKind = Table[MessageKind]['codes'][number] | 'decoy';
type VerifyType = NonNullable<Table[MailKind]['mail']['verifyTypes'][number]>;

const rows: Readonly<Record<MessageKind, MessageRow>> = table;

export const noticeKinds = Object.keys(rows).filter((kind) => rows[kind as MessageKind].isNotice) as NoticeKind[];

export const mailKinds = Object.keys(rows).filter((kind) => rows[kind as MessageKind].mail) as MailKind[];

const textKinds = Object.keys(rows).filter((kind) => rows[kind as MessageKind].text) as TextKind[];

/** @param kind of a stored mail, too, which may be of another release */
export const isNoticeKind = (kind: string): kind is NoticeKind => /_notification$/.test(kind);

/** @returns false where another setting decides whether the notice is sent */
export const hasSwitch = (kind: NoticeKind): boolean => rows[kind].hasNoSwitch !== true;

/** @returns the text of a notice in an SMS, short enough for one or two parts: the subject of its mail, with the circumstances */
export function noticeTextOf(kind: NoticeKind): string {
  if (kind === 'organization_domain_lost_notification') {
    return `${mailRow(kind).subject}: {{ .Domain }} of {{ .Organization }}. Its TXT record is missing.`;
  }
  const where = '({{ .Time }}{{ if .Device }}, {{ .Device }}{{ end }})';
  const advice = hasSwitch(kind)
    ? '{{ if not .ChangedByAdmin }} If it was not you, choose a new password at {{ .SiteURL }}.{{ end }}'
    : ' Choose a new one at {{ .SiteURL }}.';
  const left = kind === 'mfa_recovery_code_used_notification' ? ' Codes that are left: {{ .RemainingCodes }}.' : '';
  return `${mailRow(kind).subject} ${where}.${left}${advice}`;
}

/** @returns the part of the settings' names: PASSWORD_CHANGED */
export const noticeName = (kind: NoticeKind): string => kind.replace(/_notification$/, '').toUpperCase();

export const mailRow = (kind: MailKind): NonNullable<MessageRow['mail']> => rows[kind].mail!;

export const pathKindOf = (kind: MailKind): PathKind | undefined => mailRow(kind).pathOf as PathKind | undefined;

/** @returns the `type` of the link; null: no link */
export const linkTypeOf = (kind: MailKind): VerifyType | null => (mailRow(kind).verifyTypes[0] as VerifyType) ?? null;

export const limitsOf = (kind: MailKind): readonly MailLimit[] => table[kind].mail.limits;

export const stampsOf = (kind: MessageKind): Table[MessageKind]['stamps'] => table[kind].stamps;

/** @returns undefined for a message without a code */
export const usualCodeOf = (kind: MessageKind): CodeKind | undefined => rows[kind].codes[0] as CodeKind | undefined;

/** @returns the text that carries a code. @throws Error for a code that only mails carry */
export function textKindOf(code: CodeKind): TextKind {
  const kind = textKinds.find((one) => rows[one].codes.includes(code));
  if (kind === undefined) throw new Error(`No text carries the code ${code}.`);
  return kind;
}

/** @returns the codes that a `type` at /verify redeems, in order of preference; none for an unknown type */
export function codesOfType(channel: 'email' | 'phone', type: string): readonly CodeKind[] {
  const part = channel === 'email' ? 'mail' : 'text';
  const matching = Object.values(rows).filter((row) => row[part]?.verifyTypes.includes(type));
  return [...new Set(matching.flatMap(({ codes }) => codes as readonly CodeKind[]))];
}

/** @returns the title of the page behind a link */
export function pageTitleOf(type: string): string {
  return Object.values(rows).find(({ mail }) => mail?.verifyTypes.includes(type))?.mail?.pageTitle ?? 'Continue';
}
