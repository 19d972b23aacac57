import { randomUUID } from 'node:crypto';
import { insertUserAsAdmin, isIdTaken } from '../../db/admin-users.js';
import { withMoreOrigin } from '../../db/origin.js';
import type { Metadata, UserRow } from '../../db/user-rows.js';
import { findAddressHolders } from '../../db/users.js';
import { NIL_UUID, readUuid } from '../../db/uuid.js';
import { normaliseEmail, normalisePhone } from '../accounts/addresses.js';
import { type Administrator, adminActor, auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { contactIdentities } from '../accounts/contact-identities.js';
import { assertAddressesFree } from '../accounts/free-addresses.js';
import { assertNewTokenFits, withFixed } from '../accounts/metadata.js';
import { isTooLong, MAX_PASSWORD_BYTES } from '../accounts/passwords.js';
import { viewUser } from '../accounts/user-view.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { type BanChange, readBanDuration } from './ban-duration.js';

/** Empty and null both mean not given. */
interface NewUser {
  /** Of POST /admin/users/{user_id}; overrides `id`. */
  readonly pathId: string | null;
  readonly id: string;
  readonly audience: string;
  readonly role: string;
  readonly email: string;
  readonly phone: string;
  /** Null: not given. Empty counts as given only together with a hash. */
  readonly password: string | null;
  readonly passwordHash: string;
  readonly confirmsEmail: boolean;
  readonly confirmsPhone: boolean;
  readonly userMetadata: Metadata;
  readonly appMetadata: Metadata;
  readonly banDuration: string;
}

type Dependencies = Pick<App, 'config' | 'db' | 'crypto' | 'log'>;

interface Addresses {
  readonly email: string | null;
  readonly phone: string | null;
}

/**
 * POST /admin/users and POST /admin/users/{user_id}. Sends no mail; limits, sign-up settings and rules for password
 * strength do not apply.
 * @returns the user object
 * @throws ApiError in the order of docs/decisions.md, Order of checks; idTaken
 */
export async function createUserAsAdmin(
  app: Dependencies,
  requestId: string,
  admin: Administrator,
  request: NewUser,
): Promise<Record<string, unknown>> {
  if (request.pathId !== null && readUuid(request.pathId) === null) throw apiError('userIdNotUuid');
  const pathId = request.pathId === null ? null : await readNewId(app, request.pathId, request.id);
  const addresses = await readNewAddresses(app, request);
  assertPassword(app, request);
  const userId = pathId ?? (request.id === '' ? randomUUID() : await readNewId(app, request.id, ''));
  const ban = readBanDuration(request.banDuration);
  const { audience, role, userMetadata, appMetadata } = request;
  assertNewTokenFits(app.config, { ...addresses, audience, role, userMetadata, appMetadata });

  const passwordHash =
    request.passwordHash || (request.password ? await app.crypto.hashPassword(request.password) : null);
  return viewUser(await insertUser(app, requestId, admin, request, { userId, addresses, ban, passwordHash }));
}

/** @throws ApiError idNotUuid, idNil, idMismatch, idTaken */
async function readNewId(app: Dependencies, text: string, bodyId: string): Promise<string> {
  const id = readUuid(text);
  if (id === null) throw apiError('idNotUuid');
  if (id === NIL_UUID) throw apiError('idNil');
  if (bodyId !== '' && readUuid(bodyId) !== id) throw apiError('idMismatch');
  if (await isIdTaken(app.db, id)) throw apiError('idTaken');
  return id;
}

/** @throws ApiError adminContactMissing, emailInvalid …, emailExists, phoneInvalid, phoneRegistered */
async function readNewAddresses(app: Dependencies, request: NewUser): Promise<Addresses> {
  if (!request.email && !request.phone) throw apiError('adminContactMissing');
  const email = request.email ? normaliseEmail(request.email) : null;
  await assertAddressesFree(app, NIL_UUID, { email, phone: null }, 'phoneRegistered');
  const phone = request.phone ? normalisePhone(request.phone) : null;
  await assertAddressesFree(app, NIL_UUID, { email: null, phone }, 'phoneRegistered');
  return { email, phone };
}

/** @throws ApiError passwordOrHash, passwordTooLong, passwordHashUnusable */
function assertPassword(app: Dependencies, { password, passwordHash }: NewUser): void {
  if (password !== null && passwordHash !== '') throw apiError('passwordOrHash');
  if (password !== null && isTooLong(password)) throw apiError('passwordTooLong', { max: MAX_PASSWORD_BYTES });
  if (passwordHash !== '' && !app.crypto.isUsableHash(passwordHash)) throw apiError('passwordHashUnusable');
}

async function insertUser(
  app: Dependencies,
  requestId: string,
  admin: Administrator,
  request: NewUser,
  account: { userId: string; addresses: Addresses; ban: BanChange; passwordHash: string | null },
): Promise<UserRow> {
  const { userId, addresses } = account;
  const providers = (['email', 'phone'] as const).filter((channel) => addresses[channel] !== null);
  const traits = {
    user_id: userId,
    user_email: addresses.email ?? '',
    user_phone: addresses.phone ?? '',
    provider: providers[0],
  };
  const audit = [auditEntry(adminActor(admin), 'user_signedup', traits)];
  const confirmsEmail = request.confirmsEmail && addresses.email !== null;
  const input = {
    userId,
    audience: request.audience,
    role: request.role.trim() || app.config.jwtDefaultGroupName.trim(),
    ...addresses,
    passwordHash: account.passwordHash,
    isEmailConfirmed: confirmsEmail,
    isPhoneConfirmed: request.confirmsPhone && addresses.phone !== null,
    appMetadata: mergeAppMetadata({ provider: providers[0], providers }, request.appMetadata),
    userMetadata: confirmsEmail ? { ...request.userMetadata, email_verified: true } : request.userMetadata,
    banSeconds: account.ban?.seconds ?? null,
    identities: contactIdentities(userId, addresses, { email: false, phone: false }),
    audit: storedAudit(app, audit),
  };
  const row = await withMoreOrigin({ created_by: 'admin' }, () => insertUserAsAdmin(app.db, input));
  if (row === undefined) throw await findConflict(app, userId, addresses);
  logAudit(app, requestId, audit);
  return row;
}

/** Null deletes a member of `base`. */
function mergeAppMetadata(base: Metadata, patch: Metadata): Metadata {
  const dropped = new Set(Object.keys(patch).filter((key) => patch[key] === null));
  const kept = Object.fromEntries(Object.entries(base).filter(([key]) => !dropped.has(key)));
  return withFixed(kept, withFixed(patch, {}));
}

/** A concurrent request took the id or an address after the check. */
async function findConflict(app: Dependencies, userId: string, { email, phone }: Addresses) {
  if (await isIdTaken(app.db, userId)) return apiError('idTaken');
  const holders = await findAddressHolders(app.db, NIL_UUID, email, phone);
  return apiError(holders.phone_taken && !holders.email_taken ? 'phoneRegistered' : 'emailExists');
}
