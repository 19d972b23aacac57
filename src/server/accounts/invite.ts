import { randomUUID } from 'node:crypto';
import { issueTokens } from '../../db/one-time-tokens.js';
import { findAddressHolder, insertUser, type Metadata, type UserRow } from '../../db/users.js';
import type { App, Client } from '../app.js';
import { refuse } from '../errors.js';
import { normaliseEmail } from './addresses.js';
import { adminActor, auditEntry, logAudit, storedAudit } from './audit.js';
import type { AdminCaller } from './caller.js';
import { assertNewTokenFits, withFixed } from './metadata.js';
import { type MailPlan, prepareMails } from './one-time.js';
import { assertAuthorizedAddress, takeMailQuota } from './send-rules.js';
import { viewUser } from './user-view.js';

export interface InviteRequest {
  readonly email: string;
  readonly data: Metadata;
  readonly audience: string;
  readonly redirectTo: string;
  /** Who invites. */
  readonly operator: Pick<AdminCaller, 'role' | 'subject'>;
}

/** POST /invite (service.md; delivery.md 2.7): makes an account without a password, or invites a waiting one again. */
export async function invite(app: App, client: Client, request: InviteRequest): Promise<Record<string, unknown>> {
  const email = normaliseEmail(request.email);
  assertNewTokenFits(app.config, { audience: request.audience, email, phone: null, userMetadata: request.data });
  const holder = await findAddressHolder(app.db, 'email', email, request.audience);
  if (holder?.is_confirmed) throw refuse('emailExists');
  assertAuthorizedAddress(app, email);
  await takeMailQuota(app);

  const userId = holder?.id ?? randomUUID();
  const fixed = { sub: userId, email, email_verified: false, phone_verified: false };
  const plan: MailPlan = { kind: 'confirmation', to: email, mailKind: 'invite', linkType: 'invite' };
  const data = holder?.user_metadata ?? withFixed(request.data, fixed);
  const prepared = await prepareMails(app, { email, data }, [plan], null, request.redirectTo);
  const audit = [auditEntry(adminActor(request.operator), 'user_invited', { user_id: userId, user_email: email })];
  const stored = storedAudit(app, audit);

  let row: UserRow | undefined;
  if (holder === undefined) {
    row = await insertUser(app.db, {
      userId,
      audience: request.audience,
      role: app.config.jwtDefaultGroupName.trim(),
      email,
      phone: null,
      passwordHash: null,
      isConfirmed: false,
      appMetadata: { provider: 'email', providers: ['email'] },
      userMetadata: request.data,
      isAnonymous: false,
      identityProvider: 'email',
      identityData: fixed,
      oneTimeTokens: prepared.tokens,
      sessionMethod: null,
      userAgent: client.userAgent,
      ip: client.ip,
      audit: stored,
      mails: prepared.mails,
      flow: null,
      isInvited: true,
      operatorSet: ['email'],
    });
  } else {
    row = await issueTokens(app.db, { userId, ...prepared, stamp: 'invite', audit: stored });
  }
  // Another audience holds the address, or the account went meanwhile.
  if (row === undefined) throw refuse('emailExists');
  logAudit(app, client.requestId, audit);
  app.mail.nudge();
  return viewUser(row);
}
