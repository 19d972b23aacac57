/** Enrolment of a second factor. It is unverified until a first challenge of it is answered. */
import { randomUUID } from 'node:crypto';
import { withLockedUser } from '../../db/account-locks.js';
import { insertFactor, makeRoomForFactor, readFactors } from '../../db/factors.js';
import type { Statements } from '../../db/types.js';
import { auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { apiError } from '../errors.js';
import type { App, Client } from '../runtime/app.js';
import { readAssurance } from '../sessions/assurance.js';
import type { UserCaller } from '../sessions/caller.js';
import type { EnrolmentRequest, FactorParts, PreparedFactor } from './contract.js';
import { assertRoomForFactor } from './enrolment-rules.js';
import { type EnrolledKind, factorKinds, isEnrolledKind } from './kinds.js';
import { type FactorCaller, requireFactorCaller } from './own-factor.js';
import { enrolPhone } from './phone-enrolment.js';
import { enrolTotp } from './totp-enrolment.js';

const prepare: Readonly<
  Record<EnrolledKind, (app: App, caller: FactorCaller, id: string, request: EnrolmentRequest) => PreparedFactor>
> = {
  totp: enrolTotp,
  phone: (_app, _caller, id, request) => enrolPhone(id, request),
  // The credential comes with the first challenge.
  webauthn: (_app, _caller, id) => ({ stored: { id, kind: 'webauthn' }, answer: {} }),
};

/**
 * POST /factors.
 * @throws ApiError in the order of docs/mfa.md, Enrolment
 */
export async function enrolFactor(
  app: App,
  client: Client,
  caller: UserCaller,
  request: EnrolmentRequest,
): Promise<Record<string, unknown>> {
  requireFactorCaller(caller);
  const { factorType: kind, friendlyName } = request;
  if (!isEnrolledKind(kind)) throw apiError('factorTypeUnknown');
  const { mayEnrol, enrolmentOff } = factorKinds[kind];
  if (!mayEnrol(app.config)) throw apiError(enrolmentOff);
  const id = randomUUID();
  const { stored, answer } = prepare[kind](app, caller, id, request);
  const audit = [auditEntry(caller.user, 'factor_in_progress', { factor_id: id, factor_type: kind })];

  await withLockedUser(app.db, caller.user.id, async (statements) => {
    await assertMayEnrol(app, statements, caller, request, stored);
    const { secret = null, phone = null } = stored;
    await insertFactor(statements, {
      ...{ id, userId: caller.user.id, kind, friendlyName, secret, phone },
      audit: storedAudit(app, audit),
    });
  });
  logAudit(app, client.requestId, audit);
  return { id, type: kind, ...(friendlyName !== '' && { friendly_name: friendlyName }), ...answer };
}

/** The rules that need the factors the user has, with the account locked, so that parallel requests obey them, too. */
async function assertMayEnrol(
  app: App,
  statements: Statements,
  caller: FactorCaller,
  { friendlyName, replacesUnverified }: EnrolmentRequest,
  stored: FactorParts,
): Promise<void> {
  const { config } = app;
  const userId = caller.user.id;
  const phone = stored.phone ?? null;
  const replaces = config.mfaReplaceUnverifiedFactors || replacesUnverified === true;
  await makeRoomForFactor(statements, userId, {
    phone,
    friendlyName: replaces ? friendlyName : null,
    ageSeconds: config.mfaFactorExpirySeconds,
  });
  const factors = await readFactors(statements, userId);
  // Those that were not verified are gone.
  if (phone !== null && factors.some((one) => one.phone === phone)) throw apiError('factorPhoneTaken');
  assertRoomForFactor(config, factors, friendlyName);
  await readAssurance(app, statements, caller, 'aalForEnrolment');
}
