/** Messages with the data of an example, to try hooks and templates. */
import { randomBytes } from 'node:crypto';
import type { Config } from '../config/settings.js';
import type { InvitingOrganization, MailMessage, NoticeFacts } from '../mail/contract.js';
import { isNoticeKind, linkTypeOf, type MailKind, type NoticeKind, usualCodeOf } from '../message-kinds.js';
import type { TextMessage } from '../sms/contract.js';

/** Of documentation (RFC 5737). */
export const EXAMPLE_IP = '192.0.2.1';
export const EXAMPLE_PHONE = '15555550100';
export const NEW_EMAIL = 'new@example.com';

const EXAMPLE_ORGANIZATION: InvitingOrganization = {
  id: '00000000-0000-4000-8000-000000000000',
  name: 'Example Ltd',
  inviter: 'grace@example.com',
  roles: ['member'],
};

interface Example<Data> {
  readonly to: string;
  /** user_metadata. */
  readonly data: Data;
}

/** @param given the recipient, and the present address of the account */
export function exampleMail(
  config: Pick<Config, 'mailerOtpLength' | 'siteUrl'>,
  kind: MailKind,
  { to, email, data }: Example<MailMessage['data']> & { readonly email: string },
): MailMessage {
  const notice = isNoticeKind(kind) ? describeChange(kind) : undefined;
  const linkType = linkTypeOf(kind);
  return {
    kind,
    to,
    email,
    newEmail: kind === 'email_change' ? NEW_EMAIL : null,
    code: usualCodeOf(kind) === undefined ? '' : '0'.repeat(config.mailerOtpLength),
    linkToken: linkType === null ? null : randomBytes(28).toString('hex'),
    linkType,
    redirectTo: config.siteUrl,
    ip: EXAMPLE_IP,
    data,
    ...(kind === 'organization_invite' && { organization: EXAMPLE_ORGANIZATION }),
    ...(notice !== undefined && { notice }),
  };
}

export const exampleNoticeText = (kind: NoticeKind, { to, data }: Example<TextMessage['data']>): TextMessage => ({
  ...{ kind, to, code: '', ip: EXAMPLE_IP, data, notice: describeChange(kind) },
});

/** A change that the user made. */
const describeChange = (kind: NoticeKind): NoticeFacts => ({
  oldEmail: kind === 'email_changed_notification' ? 'old@example.com' : null,
  phone: kind === 'phone_changed_notification' ? EXAMPLE_PHONE : null,
  oldPhone: kind === 'phone_changed_notification' ? '15555550199' : null,
  provider: kind.startsWith('identity_') ? 'github' : null,
  factorType: kind.startsWith('mfa_factor_') ? 'totp' : null,
  remainingCodes: kind === 'mfa_recovery_code_used_notification' ? 9 : null,
  removedPasskeys: null,
  organization: kind === 'organization_domain_lost_notification' ? 'Acme Ltd' : null,
  domain: kind === 'organization_domain_lost_notification' ? 'acme.example' : null,
  ip: EXAMPLE_IP,
  device: 'Firefox on Windows',
  time: `${new Date().toISOString().slice(0, 19)}Z`,
  changedByAdmin: false,
});
