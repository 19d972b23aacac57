/** Recovery codes: a set of single-use codes for users who have lost their other factors (docs/mfa.md, Recovery). */
import { randomUUID } from 'node:crypto';
import { withLockedUser } from '../../db/account-locks.js';
import { readFactors, removeFactor } from '../../db/factors.js';
import { insertMails } from '../../db/outbox.js';
import {
  countRecoveryCodes,
  insertRecoveryCodes,
  type RecoveryCounts,
  replaceRecoveryCodes,
} from '../../db/recovery-codes.js';
import { auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { apiError } from '../errors.js';
import type { App, Client } from '../runtime/app.js';
import { readAssurance } from '../sessions/assurance.js';
import type { UserCaller } from '../sessions/caller.js';
import { assertRoomForFactor } from './enrolment-rules.js';
import { prepareFactorNotice } from './factor-notices.js';
import { type FactorCaller, requireFactorCaller } from './own-factor.js';
import { generateRecoveryCode, hashRecoveryCode } from './recovery-code.js';

const KIND = 'recovery_code';
const DEFAULT_NAME = 'Recovery codes';

/** The codes leave the server here, and never again. */
export interface GeneratedCodes {
  readonly id: string;
  readonly type: typeof KIND;
  readonly friendly_name: string;
  readonly total: number;
  readonly codes: readonly string[];
}

/** GET /factors/recovery-codes. @throws ApiError recoveryCodesMissing */
export async function readRecoveryCodes(
  app: App,
  caller: UserCaller,
): Promise<RecoveryCounts & { readonly type: typeof KIND }> {
  requireFactorCaller(caller);
  const counts = await countRecoveryCodes(app.db, caller.user.id);
  if (counts === undefined) throw apiError('recoveryCodesMissing');
  const { id, total, remaining } = counts;
  return { id, type: KIND, total, remaining };
}

/**
 * Asserts that the caller may ask for codes; the endpoint does so before it reads the body.
 * @throws ApiError of requireFactorCaller(); recoveryEnrolmentOff
 */
export function requireRecoveryEnrolment(app: Pick<App, 'config'>, caller: UserCaller): asserts caller is FactorCaller {
  requireFactorCaller(caller);
  if (!app.config.mfaRecoveryCodesEnrollEnabled) throw apiError('recoveryEnrolmentOff');
}

/**
 * POST /factors/recovery-codes. It needs AAL2, also of users without a second factor.
 * @throws ApiError recoveryEnrolmentOff, aalForRecoveryCodes, stepUpRequired, recoveryCodesExist, factorNameTaken,
 *   tooManyFactors, recoveryCodesAlone
 */
export async function generateRecoveryCodes(
  app: App,
  client: Client,
  caller: UserCaller,
  givenName: string,
): Promise<GeneratedCodes> {
  requireRecoveryEnrolment(app, caller);
  const { user } = caller;
  const [id, friendlyName] = [randomUUID(), givenName || DEFAULT_NAME];
  const { codes, hashes } = generateSet(app, user.id);
  const audit = [auditEntry(user, 'recovery_codes_generated', { factor_id: id, total: codes.length })];
  const notices = await prepareFactorNotice(app, client, user, 'mfa_factor_enrolled_notification', KIND);
  await withLockedUser(app.db, user.id, async (statements) => {
    const level = await readAssurance(app, statements, caller, 'aalForRecoveryCodes');
    if (level !== 'aal2') throw apiError('aalForRecoveryCodes');
    const factors = await readFactors(statements, user.id);
    if (factors.some(({ kind }) => kind === KIND)) throw apiError('recoveryCodesExist');
    assertRoomForFactor(app.config, factors, friendlyName);
    if (!factors.some(({ status }) => status === 'verified')) throw apiError('recoveryCodesAlone');
    await insertRecoveryCodes(statements, id, friendlyName, {
      userId: user.id,
      hashes,
      audit: storedAudit(app, audit),
    });
    await insertMails(statements, user.id, notices);
  });
  if (notices.length > 0) app.mail.nudge();
  logAudit(app, client.requestId, audit);
  return { id, type: KIND, friendly_name: friendlyName, total: codes.length, codes };
}

/**
 * POST /factors/recovery-codes/regenerate.
 * @throws ApiError recoveryEnrolmentOff, aalForRecoveryCodes, stepUpRequired, recoveryCodesMissing
 */
export async function regenerateRecoveryCodes(app: App, client: Client, caller: UserCaller): Promise<GeneratedCodes> {
  requireRecoveryEnrolment(app, caller);
  const { user } = caller;
  const { codes, hashes } = generateSet(app, user.id);
  const audit = [auditEntry(user, 'recovery_codes_regenerated', { total: codes.length })];
  const notices = await prepareFactorNotice(app, client, user, 'mfa_recovery_codes_regenerated_notification', KIND);
  const set = await withLockedUser(app.db, user.id, async (statements) => {
    await readAssurance(app, statements, caller, 'aalForRecoveryCodes');
    const replaced = await replaceRecoveryCodes(statements, {
      userId: user.id,
      hashes,
      audit: storedAudit(app, audit),
    });
    if (replaced !== undefined) await insertMails(statements, user.id, notices);
    return replaced;
  });
  if (set === undefined) throw apiError('recoveryCodesMissing');
  if (notices.length > 0) app.mail.nudge();
  logAudit(app, client.requestId, audit);
  return { id: set.id, type: KIND, friendly_name: set.friendly_name, total: codes.length, codes };
}

/**
 * DELETE /factors/recovery-codes. Sessions that a code has raised are lowered.
 * @throws ApiError aalForRecoveryCodes, stepUpRequired, recoveryCodesMissing
 */
export async function deleteRecoveryCodes(app: App, client: Client, caller: UserCaller): Promise<{ id: string }> {
  requireFactorCaller(caller);
  const { user } = caller;
  const audit = [auditEntry(user, 'recovery_codes_deleted')];
  const notices = await prepareFactorNotice(app, client, user, 'mfa_factor_unenrolled_notification', KIND);
  const removed = await withLockedUser(app.db, user.id, async (statements) => {
    await readAssurance(app, statements, caller, 'aalForRecoveryCodes');
    const set = (await readFactors(statements, user.id)).find(({ kind }) => kind === KIND);
    if (set === undefined) throw apiError('recoveryCodesMissing');
    const gone = await removeFactor(statements, set.id, user.id, storedAudit(app, audit));
    await insertMails(statements, user.id, notices);
    return gone;
  });
  if (removed === undefined) throw apiError('recoveryCodesMissing');
  if (notices.length > 0) app.mail.nudge();
  logAudit(app, client.requestId, audit);
  return { id: removed.id };
}

function generateSet({ config, keys }: Pick<App, 'config' | 'keys'>, userId: string) {
  const codes = Array.from({ length: config.mfaRecoveryCodesCount }, () =>
    generateRecoveryCode(config.mfaRecoveryCodesCodeLength),
  );
  return { codes, hashes: codes.map((code) => hashRecoveryCode(keys.recoveryCode.current, userId, code)) };
}
