/** Notices of account changes: mails or texts that the transaction of a change stores with it (docs/notices.md). */

import type { ContactColumns } from '../../db/notices.js';
import type { MailInput } from '../../db/outgoing.js';
import type { Metadata } from '../../db/user-rows.js';
import { isAuthorizedAddress } from '../codes/send-rules.js';
import type { NoticeFacts } from '../mail/contract.js';
import { linkTypeOf, type NoticeKind, noticeName } from '../message-kinds.js';
import type { App, Client } from '../runtime/app.js';
import { logSparsely } from '../telemetry/sparse-log.js';
import { describeDevice } from './device.js';

type Noticing = Pick<App, 'config' | 'limits' | 'mail' | 'sms' | 'log'>;

/** The account before the change. */
export interface Recipient {
  /** Null without a confirmed one: it may be of another person. */
  readonly email: string | null;
  /** As the address; a text goes there if there is no address. */
  readonly phone: string | null;
  readonly data: Metadata;
}

/** A change, before it is written. */
export interface Change {
  readonly kind: NoticeKind;
  readonly to: Recipient;
  /** The address after the change, if it differs. */
  readonly newEmail?: string | null;
  /** The notice has a link with it. */
  readonly linkToken?: string | null;
  readonly facts?: Partial<
    Pick<
      NoticeFacts,
      | 'oldEmail'
      | 'phone'
      | 'oldPhone'
      | 'provider'
      | 'factorType'
      | 'remainingCodes'
      | 'removedPasskeys'
      | 'organization'
      | 'domain'
    >
  >;
}

/** Who makes a change: the user in a browser, or an administrator. */
export type Origin = Client | { readonly requestId: string; readonly isAdmin: true };

export const recipientOf = (user: Readonly<ContactColumns>): Recipient => ({
  email: user.email_confirmed_at === null ? null : user.email,
  phone: user.phone_confirmed_at === null ? null : user.phone,
  data: user.user_metadata,
});

/** Whether notices of a kind are on, as mails or as texts. */
export const isNoticed = (app: Pick<App, 'config'>, kind: NoticeKind): boolean =>
  isMailed(app, kind) || isTexted(app, kind);

/** Whether notices of a kind are sent as mails. */
export function isMailed({ config }: Pick<App, 'config'>, kind: NoticeKind): boolean {
  if (kind === 'password_leaked_notification') return config.leakedPasswordAction === 'notify';
  // Owners of organizations hear of it in any case.
  return kind === 'organization_domain_lost_notification' ? config.organizationsEnabled : config.mails[kind].enabled;
}

const isTexted = ({ config }: Pick<App, 'config'>, kind: NoticeKind): boolean =>
  config.texts[kind].enabled && (kind !== 'password_leaked_notification' || config.leakedPasswordAction === 'notify');

/**
 * Prepares the notices of changes that are about to be written, before a transaction: it counts them. Kinds that are
 * switched off cost nothing. Never throws: a change does not fail for its notice.
 * @returns rows for the statement or transaction that makes the changes
 */
export async function prepareNotices(
  app: Noticing,
  origin: Origin,
  changes: readonly (Change | false)[],
): Promise<readonly MailInput[]> {
  const enabled = changes.filter((change) => change !== false && isNoticed(app, change.kind)) as Change[];
  const allowed = await Promise.all(enabled.map((change) => isWithinLimit(app, origin.requestId, change)));
  return enabled.flatMap((change, index) => (allowed[index] ? sealNotice(app, origin, change) : []));
}

/** The row of a notice, uncounted; none without an address or number that may have it. */
export function sealNotice(
  app: Pick<App, 'config' | 'mail' | 'sms'>,
  origin: Origin,
  change: Change,
): readonly MailInput[] {
  const { kind, to, newEmail, linkToken = null } = change;
  const recipient = findRecipient(app, change);
  if (recipient === null) return [];
  const notice = describeChange(origin, change);
  if (!to.email) return app.sms.seal({ kind, to: recipient, code: '', ip: null, data: to.data, notice });
  return app.mail.seal([
    {
      kind,
      to: recipient,
      email: newEmail ?? recipient,
      newEmail: null,
      code: '',
      linkToken,
      linkType: linkToken === null ? null : linkTypeOf(kind),
      redirectTo: app.config.siteUrl,
      data: to.data,
      notice,
    },
  ]);
}

function describeChange(origin: Origin, { facts }: Change): NoticeFacts {
  const isAdmin = 'isAdmin' in origin;
  return {
    ...{ oldEmail: null, phone: null, oldPhone: null, provider: null, factorType: null, remainingCodes: null },
    ...facts,
    ip: isAdmin ? null : origin.ip,
    device: isAdmin ? null : describeDevice(origin.userAgent),
    time: `${new Date().toISOString().slice(0, 19)}Z`,
    changedByAdmin: isAdmin,
  };
}

/** @returns the address; without one the number; null: the notice is not sent that way */
function findRecipient(app: Pick<App, 'config'>, { kind, to: { email, phone } }: Change): string | null {
  if (email) return isMailed(app, kind) && isAuthorizedAddress(app, email) ? email : null;
  return phone && isTexted(app, kind) ? phone : null;
}

/** Whether a notice of a kind would have a recipient now. */
export const isNoticeDue = (app: Pick<App, 'config' | 'mail'>, kind: NoticeKind, to: Recipient): boolean =>
  findRecipient(app, { kind, to }) !== null && (!to.email || app.mail.isOn);

/** A count that fails permits the notice. */
async function isWithinLimit(app: Noticing, requestId: string, change: Change): Promise<boolean> {
  const { kind } = change;
  const recipient = findRecipient(app, change);
  if (recipient === null) return false;
  const fields = { component: 'notices', request_id: requestId, notice: noticeName(kind).toLowerCase() };
  try {
    const isWithin = await app.limits.takeNotice(kind, recipient);
    if (!isWithin) {
      const message = 'A notice is not sent: RATE_LIMIT_NOTIFICATIONS_SENT is reached';
      logSparsely(app.log, 'warn', fields.notice, fields, message);
    }
    return isWithin;
  } catch (error) {
    app.log.warn({ ...fields, error: (error as Error).message }, 'A notice could not be counted and is sent');
    return true;
  }
}
