import { randomUUID } from 'node:crypto';
import { storeTokens } from '../../db/one-time-tokens.js';
import type { Metadata, UserRow } from '../../db/user-rows.js';
import { findAddressHolder, insertUser } from '../../db/users.js';
import { normaliseEmail } from '../accounts/addresses.js';
import { type Administrator, adminActor, auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { assertSignsInHere } from '../accounts/company-domains.js';
import { assertNewTokenFits, withFixed } from '../accounts/metadata.js';
import { assertMayCreate } from '../accounts/new-user-hook.js';
import { viewUser } from '../accounts/user-view.js';
import { apiError } from '../errors.js';
import { stampsOf } from '../message-kinds.js';
import type { App, Client } from '../runtime/app.js';
import { type MailPlan, prepareMails } from './one-time.js';
import { assertMailable, takeMailQuota } from './send-rules.js';

interface InviteRequest {
  readonly email: string;
  readonly data: Metadata;
  readonly audience: string;
  readonly redirectTo: string;
  readonly admin: Administrator;
}

/** POST /invite. Creates an account without password, or invites an unconfirmed one again. */
export async function inviteUser(app: App, client: Client, request: InviteRequest): Promise<Record<string, unknown>> {
  const email = normaliseEmail(request.email);
  await assertSignsInHere(app, email);
  assertNewTokenFits(app.config, { audience: request.audience, email, phone: null, userMetadata: request.data });
  const holder = await findAddressHolder(app.db, 'email', email, request.audience);
  if (holder?.is_confirmed) throw apiError('emailExists');
  await assertMailable(app, email);
  await takeMailQuota(app);

  const userId = holder?.id ?? randomUUID();
  const appMetadata = { provider: 'email', providers: ['email'] };
  const contact = { id: userId, audience: request.audience, email, phone: null };
  const planned = { ...contact, appMetadata, userMetadata: request.data };
  if (holder === undefined) await assertMayCreate(app, client, planned);
  const fixed = { sub: userId, email, email_verified: false, phone_verified: false };
  const plan: MailPlan = { mail: 'invite', to: email };
  const data = holder?.user_metadata ?? withFixed(request.data, fixed);
  const prepared = await prepareMails(
    app,
    { email, data, account: holder?.id ?? planned, ip: client.ip },
    [plan],
    null,
    request.redirectTo,
  );
  const audit = [auditEntry(adminActor(request.admin), 'user_invited', { user_id: userId, user_email: email })];
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
      appMetadata,
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
    row = await storeTokens(app.db, { userId, ...prepared, stamps: stampsOf('invite'), audit: stored });
  }
  // An account of another audience has the address, or the account was deleted.
  if (row === undefined) throw apiError('emailExists');
  logAudit(app, client.requestId, audit);
  app.mail.nudge();
  return viewUser(row);
}
