/** Notices of account changes: mails that the transaction of a change stores with it (docs/notices.md). */
import type { MailInput } from '../../db/outgoing.js';
import type { Metadata, UserRow } from '../../db/user-rows.js';
import type { App, Client } from '../app.js';
import { isAuthorizedAddress } from '../codes/send-rules.js';
import type { NoticeFacts } from '../mail/contract.js';
import { linkTypeOf, type NoticeKind, noticeName } from '../message-kinds.js';
import { describeDevice } from './device.js';

type Noticing = Pick<App, 'config' | 'limits' | 'mail' | 'log'>;

/** The account before the change. */
export interface Recipient {
  /** Null without a confirmed one: it may be of another person. */
  readonly email: string | null;
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
  readonly facts?: Partial<Pick<NoticeFacts, 'oldEmail' | 'phone' | 'oldPhone' | 'provider' | 'factorType'>>;
}

/** Who makes a change: the user in a browser, or an administrator. */
export type Origin = Client | { readonly requestId: string; readonly isAdmin: true };

export const recipientOf = (
  user: Readonly<Pick<UserRow, 'email' | 'email_confirmed_at' | 'user_metadata'>>,
): Recipient => ({ email: user.email_confirmed_at === null ? null : user.email, data: user.user_metadata });

/** Whether notices of a kind are on. */
export const isNoticed = ({ config }: Pick<App, 'config'>, kind: NoticeKind): boolean =>
  kind === 'password_leaked_notification' ? config.leakedPasswordAction === 'notify' : config.mails[kind].enabled;

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

/** The row of a notice, uncounted; none without an address that may have it. */
export function sealNotice(
  app: Pick<App, 'config' | 'mail'>,
  origin: Origin,
  { kind, to, newEmail, linkToken = null, facts }: Change,
): readonly MailInput[] {
  if (!hasAddress(app, to)) return [];
  const isAdmin = 'isAdmin' in origin;
  return app.mail.seal([
    {
      kind,
      to: to.email!,
      email: newEmail ?? to.email!,
      newEmail: null,
      code: '',
      linkToken,
      linkType: linkToken === null ? null : linkTypeOf(kind),
      redirectTo: app.config.siteUrl,
      data: to.data,
      notice: {
        ...{ oldEmail: null, phone: null, oldPhone: null, provider: null, factorType: null },
        ...facts,
        ip: isAdmin ? null : origin.ip,
        device: isAdmin ? null : describeDevice(origin.userAgent),
        time: `${new Date().toISOString().slice(0, 19)}Z`,
        changedByAdmin: isAdmin,
      },
    },
  ]);
}

const hasAddress = (app: Pick<App, 'config'>, { email }: Recipient): boolean =>
  Boolean(email) && isAuthorizedAddress(app, email!);

/** A count that fails permits the notice. */
async function isWithinLimit(app: Noticing, requestId: string, { kind, to }: Change): Promise<boolean> {
  if (!hasAddress(app, to)) return false;
  const fields = { component: 'notices', request_id: requestId, notice: noticeName(kind).toLowerCase() };
  try {
    const isWithin = await app.limits.takeNotice(kind, to.email!);
    if (!isWithin) app.log.warn(fields, 'A notice is not sent: RATE_LIMIT_NOTIFICATIONS_SENT is reached');
    return isWithin;
  } catch (error) {
    app.log.warn({ ...fields, error: (error as Error).message }, 'A notice could not be counted and is sent');
    return true;
  }
}
