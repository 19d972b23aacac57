import { issueTokens } from '../../db/one-time-tokens.js';
import { findAddressHolder } from '../../db/users.js';
import type { App, Client } from '../app.js';
import { refuse } from '../errors.js';
import { normaliseEmail } from './addresses.js';
import { auditEntry, logAudit, storedAudit } from './audit.js';
import { writeDecoy } from './decoy.js';
import { prepareMails } from './one-time.js';
import { readPkce } from './pkce.js';
import { assertAuthorizedAddress, assertMayMail } from './send-rules.js';

export interface RecoverRequest {
  readonly email: string;
  readonly codeChallenge: string;
  readonly codeChallengeMethod: string;
  readonly audience: string;
  readonly redirectTo: string;
}

/** POST /recover (delivery.md 2.5): the same answer, after the same work, whether the address has an account or not. */
export async function sendRecovery(app: App, client: Client, request: RecoverRequest): Promise<void> {
  if (!app.config.externalEmailEnabled) throw refuse('emailLoginsDisabled');
  if (!request.email) throw refuse('recoveryEmailRequired');
  const email = normaliseEmail(request.email);
  const pkce = readPkce(request.codeChallenge, request.codeChallengeMethod, 'recovery');
  assertAuthorizedAddress(app, email);
  await assertMayMail(app, 'recovery', email);

  const holder = await findAddressHolder(app.db, 'email', email, request.audience);
  const prepared = await prepareMails(
    app,
    { email, data: holder?.user_metadata ?? {} },
    [{ kind: 'recovery', to: email, mailKind: 'recovery', linkType: 'recovery' }],
    pkce,
    request.redirectTo,
  );
  if (holder === undefined) return writeDecoy(app, request.audience, prepared);

  const audit = [auditEntry(holder, 'user_recovery_requested')];
  const issue = { userId: holder.id, ...prepared, stamp: 'recovery', audit: storedAudit(app, audit) } as const;
  await issueTokens(app.db, issue);
  logAudit(app, client.requestId, audit);
  app.mail.nudge();
}
