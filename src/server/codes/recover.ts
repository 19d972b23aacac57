import { storeTokens } from '../../db/one-time-tokens.js';
import { findAddressHolder } from '../../db/users.js';
import { normaliseEmail } from '../accounts/addresses.js';
import { auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { assertSignsInHere } from '../accounts/company-domains.js';
import { apiError } from '../errors.js';
import { stampsOf } from '../message-kinds.js';
import type { App, Client } from '../runtime/app.js';
import { writeDecoy } from './decoy.js';
import { prepareMails } from './one-time.js';
import { readPkce } from './pkce.js';
import { assertMailable, assertMayMail } from './send-rules.js';

interface RecoverRequest {
  readonly email: string;
  readonly codeChallenge: string;
  readonly codeChallengeMethod: string;
  readonly audience: string;
  readonly redirectTo: string;
}

/** POST /recover. Answer and work are the same whether or not the address has an account. */
export async function sendRecovery(app: App, client: Client, request: RecoverRequest): Promise<void> {
  if (!app.config.externalEmailEnabled) throw apiError('emailLoginsDisabled');
  if (!request.email) throw apiError('recoveryEmailRequired');
  const email = normaliseEmail(request.email);
  await assertSignsInHere(app, email);
  const pkce = readPkce(request.codeChallenge, request.codeChallengeMethod, 'recovery');
  await assertMailable(app, email);
  await assertMayMail(app, 'recovery', email);

  const holder = await findAddressHolder(app.db, 'email', email, request.audience);
  const prepared = await prepareMails(
    app,
    { email, data: holder?.user_metadata ?? {}, account: holder?.id ?? null, ip: client.ip },
    [{ mail: 'recovery', to: email }],
    pkce,
    request.redirectTo,
  );
  if (holder === undefined) return writeDecoy(app, request.audience, prepared, { mail: 'recovery', recipient: email });

  const audit = [auditEntry(holder, 'user_recovery_requested')];
  const issue = { userId: holder.id, ...prepared, stamps: stampsOf('recovery'), audit: storedAudit(app, audit) };
  await storeTokens(app.db, issue);
  logAudit(app, client.requestId, audit);
  app.mail.nudge();
}
