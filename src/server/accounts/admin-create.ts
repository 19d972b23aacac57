import { randomUUID } from 'node:crypto';
import { createUser, isIdTaken } from '../../db/admin-users.js';
import { findAddressHolders, type Metadata, type UserRow } from '../../db/users.js';
import type { App } from '../app.js';
import { refuse } from '../errors.js';
import { normaliseEmail, normalisePhone } from './addresses.js';
import { contactIdentities, type Operator } from './admin-contacts.js';
import { adminActor, auditEntry, logAudit, storedAudit } from './audit.js';
import { type BanChange, readBanDuration } from './ban-duration.js';
import { assertNewTokenFits, withFixed } from './metadata.js';
import { isTooLong, MAX_PASSWORD_BYTES } from './passwords.js';
import { viewUser } from './user-view.js';
import { NIL_UUID, readUuid } from './uuid.js';

/** What POST /admin/users may carry (operations.md 1.4); empty and null alike mean not given. */
export interface NewUser {
  /** From the path of POST /admin/users/{user_id}; wins over the body's. */
  readonly pathId: string | null;
  readonly id: string;
  readonly audience: string;
  readonly role: string;
  readonly email: string;
  readonly phone: string;
  /** Null: not given; empty counts as given beside a hash only. */
  readonly password: string | null;
  readonly passwordHash: string;
  readonly confirmsEmail: boolean;
  readonly confirmsPhone: boolean;
  readonly userMetadata: Metadata;
  readonly appMetadata: Metadata;
  readonly banDuration: string;
}

type Parts = Pick<App, 'config' | 'db' | 'crypto' | 'log'>;

interface Addresses {
  readonly email: string | null;
  readonly phone: string | null;
}

/**
 * POST /admin/users and POST /admin/users/{user_id}. No mail is sent, no limit and no switch applies, and the password's
 * strength is the operator's business.
 * @returns the user object
 * @throws Refusal as operations.md 1.4 and 1.5, in that order; an id that is taken: idTaken (decisions.md 24)
 */
export async function createUserAsAdmin(
  app: Parts,
  requestId: string,
  operator: Operator,
  request: NewUser,
): Promise<Record<string, unknown>> {
  if (request.pathId !== null && readUuid(request.pathId) === null) throw refuse('userIdNotUuid');
  const pathId = request.pathId === null ? null : await readFreeId(app, request.pathId, request.id);
  const addresses = await readFreeAddresses(app, request);
  assertPassword(app, request);
  const userId = pathId ?? (request.id === '' ? randomUUID() : await readFreeId(app, request.id, ''));
  const ban = readBanDuration(request.banDuration);
  const { audience, role, userMetadata, appMetadata } = request;
  assertNewTokenFits(app.config, { ...addresses, audience, role, userMetadata, appMetadata });

  const passwordHash =
    request.passwordHash || (request.password ? await app.crypto.hashPassword(request.password) : null);
  return viewUser(await insert(app, requestId, operator, request, { userId, addresses, ban, passwordHash }));
}

/** @throws Refusal idNotUuid, idNil, idMismatch, idTaken */
async function readFreeId(app: Parts, text: string, bodyId: string): Promise<string> {
  const id = readUuid(text);
  if (id === null) throw refuse('idNotUuid');
  if (id === NIL_UUID) throw refuse('idNil');
  if (bodyId !== '' && readUuid(bodyId) !== id) throw refuse('idMismatch');
  if (await isIdTaken(app.db, id)) throw refuse('idTaken');
  return id;
}

/** @throws Refusal adminContactMissing, emailInvalid …, emailExists, phoneInvalid, phoneRegistered */
async function readFreeAddresses(app: Parts, request: NewUser): Promise<Addresses> {
  if (!request.email && !request.phone) throw refuse('adminContactMissing');
  const email = request.email ? normaliseEmail(request.email) : null;
  if (email !== null && (await findAddressHolders(app.db, NIL_UUID, email, null)).email_taken) {
    throw refuse('emailExists');
  }
  const phone = request.phone ? normalisePhone(request.phone) : null;
  if (phone !== null && (await findAddressHolders(app.db, NIL_UUID, null, phone)).phone_taken) {
    throw refuse('phoneRegistered');
  }
  return { email, phone };
}

/** @throws Refusal passwordOrHash, passwordTooLong, passwordHashUnusable */
function assertPassword(app: Parts, { password, passwordHash }: NewUser): void {
  if (password !== null && passwordHash !== '') throw refuse('passwordOrHash');
  if (password !== null && isTooLong(password)) throw refuse('passwordTooLong', { max: MAX_PASSWORD_BYTES });
  if (passwordHash !== '' && !app.crypto.isUsableHash(passwordHash)) throw refuse('passwordHashUnusable');
}

async function insert(
  app: Parts,
  requestId: string,
  operator: Operator,
  request: NewUser,
  made: { userId: string; addresses: Addresses; ban: BanChange; passwordHash: string | null },
): Promise<UserRow> {
  const { userId, addresses } = made;
  const providers = (['email', 'phone'] as const).filter((channel) => addresses[channel] !== null);
  const traits = {
    user_id: userId,
    user_email: addresses.email ?? '',
    user_phone: addresses.phone ?? '',
    provider: providers[0],
  };
  const audit = [auditEntry(adminActor(operator), 'user_signedup', traits)];
  const confirmsEmail = request.confirmsEmail && addresses.email !== null;
  const row = await createUser(app.db, {
    userId,
    audience: request.audience,
    role: request.role.trim() || app.config.jwtDefaultGroupName.trim(),
    ...addresses,
    passwordHash: made.passwordHash,
    isEmailConfirmed: confirmsEmail,
    isPhoneConfirmed: request.confirmsPhone && addresses.phone !== null,
    appMetadata: mergeOver({ provider: providers[0], providers }, request.appMetadata),
    userMetadata: confirmsEmail ? { ...request.userMetadata, email_verified: true } : request.userMetadata,
    banSeconds: made.ban?.seconds ?? null,
    identities: contactIdentities(userId, addresses, { email: false, phone: false }),
    audit: storedAudit(app, audit),
  });
  if (row === undefined) throw await explainConflict(app, userId, addresses);
  logAudit(app, requestId, audit);
  return row;
}

/** A null member deletes (operations.md 1.9). */
function mergeOver(base: Metadata, patch: Metadata): Metadata {
  const dropped = new Set(Object.keys(patch).filter((key) => patch[key] === null));
  const kept = Object.fromEntries(Object.entries(base).filter(([key]) => !dropped.has(key)));
  return withFixed(kept, withFixed(patch, {}));
}

/** Somebody was quicker between the look and the statement. */
async function explainConflict(app: Parts, userId: string, { email, phone }: Addresses) {
  if (await isIdTaken(app.db, userId)) return refuse('idTaken');
  const holders = await findAddressHolders(app.db, NIL_UUID, email, phone);
  return refuse(holders.phone_taken && !holders.email_taken ? 'phoneRegistered' : 'emailExists');
}
