/** What users and administrators do with trusted devices (docs/mfa.md, Trusted devices). */
import { randomBytes, randomUUID } from 'node:crypto';
import { withLockedUser } from '../../db/account-locks.js';
import {
  deleteTrustedDevices,
  insertTrustedDevice,
  type NewTrustedDevice,
  readTrustedDevices,
  type TrustedDeviceRow,
} from '../../db/trusted-devices.js';
import type { Database, Statements } from '../../db/types.js';
import { readUuid } from '../../db/uuid.js';
import { type Actor, type AuditEntry, auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { apiError } from '../errors.js';
import type { App, Client } from '../runtime/app.js';
import { readAssurance } from '../sessions/assurance.js';
import type { UserCaller } from '../sessions/caller.js';
import { hashDeviceToken } from '../sessions/trusted-device.js';
import { requireFactorCaller } from './own-factor.js';

const TOKEN_BYTES = 32;

export interface Trust {
  /** It leaves the server once, and is stored as a keyed hash. */
  readonly token: string;
  readonly device: NewTrustedDevice;
}

/** @param name null: the user does not trust the device. @returns null, too, while the feature is off */
export function prepareTrust(
  { config, keys }: Pick<App, 'config' | 'keys'>,
  { userId, factorId }: { readonly userId: string; readonly factorId: string },
  name: string | null,
): Trust | null {
  if (name === null || !config.mfaTrustedDeviceEnabled) return null;
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const tokenHash = hashDeviceToken(keys.trustedDevice.current, token);
  const limits = { validSeconds: config.mfaTrustedDeviceSeconds, most: config.mfaTrustedDeviceMaxPerUser };
  return { token, device: { id: randomUUID(), userId, factorId, name, tokenHash, ...limits } };
}

/** Adds to the write of a verification, in one transaction, that its device is trusted. */
export function trustingDevice<Row>(
  trust: Trust | null,
  write: (statements: Statements) => Promise<Row | undefined>,
): (db: Database) => Promise<Row | undefined> {
  if (trust === null) return write;
  return (db) =>
    db.transaction(async (statements) => {
      const row = await write(statements);
      if (row !== undefined) await insertTrustedDevice(statements, trust.device);
      return row;
    });
}

/** GET /trusted-devices, oldest first. */
export function listOwnDevices(app: App, caller: UserCaller): Promise<readonly TrustedDeviceRow[]> {
  requireFactorCaller(caller);
  return readTrustedDevices(app.db, caller.user.id, null);
}

/** GET /admin/users/{user_id}/trusted-devices, oldest first. */
export const listDevices = ({ db }: Pick<App, 'db'>, userId: string): Promise<readonly TrustedDeviceRow[]> =>
  readTrustedDevices(db, userId, null);

/** GET /trusted-devices/{device_id}. @throws ApiError trustedDeviceNotFound */
export function readOwnDevice(app: App, caller: UserCaller, deviceId: string): Promise<TrustedDeviceRow> {
  requireFactorCaller(caller);
  return findDevice(app, caller.user.id, deviceId);
}

/** @throws ApiError trustedDeviceNotFound */
export async function findDevice({ db }: Pick<App, 'db'>, userId: string, deviceId: string): Promise<TrustedDeviceRow> {
  const id = readUuid(deviceId);
  const device = id === null ? undefined : (await readTrustedDevices(db, userId, id))[0];
  if (device === undefined) throw apiError('trustedDeviceNotFound');
  return device;
}

/**
 * DELETE /trusted-devices and /trusted-devices/{device_id}. Sessions that a device has raised go on.
 * @param deviceId null: all
 * @throws ApiError trustedDeviceNotFound, aalForAccess, stepUpRequired, sessionNotFound
 */
export async function removeOwnDevices(
  app: App,
  client: Client,
  caller: UserCaller,
  deviceId: string | null,
): Promise<void> {
  requireFactorCaller(caller);
  const { user } = caller;
  const removal = planRemoval(user, user.id, deviceId);
  const count = await withLockedUser(app.db, user.id, async (statements) => {
    await readAssurance(app, statements, caller, 'aalForAccess');
    return deleteTrustedDevices(statements, user.id, removal.id, storedAudit(app, removal.audit));
  });
  finishRemoval(app, client.requestId, removal, count);
}

/** The same by an administrator. @throws ApiError trustedDeviceNotFound */
export async function removeDevices(
  app: App,
  requestId: string,
  actor: Actor,
  userId: string,
  deviceId: string | null,
): Promise<void> {
  const removal = planRemoval(actor, userId, deviceId);
  const count = await deleteTrustedDevices(app.db, userId, removal.id, storedAudit(app, removal.audit));
  finishRemoval(app, requestId, removal, count);
}

interface Removal {
  readonly id: string | null;
  readonly audit: readonly AuditEntry[];
}

function planRemoval(actor: Actor, userId: string, deviceId: string | null): Removal {
  const id = deviceId === null ? null : readUuid(deviceId);
  if (deviceId !== null && id === null) throw apiError('trustedDeviceNotFound');
  const traits = id === null ? { user_id: userId } : { user_id: userId, device_id: id };
  return { id, audit: [auditEntry(actor, 'trusted_device_removed', traits)] };
}

function finishRemoval(app: App, requestId: string, { id, audit }: Removal, count: number): void {
  if (count > 0) logAudit(app, requestId, audit);
  else if (id !== null) throw apiError('trustedDeviceNotFound');
}
