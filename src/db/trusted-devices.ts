/** The statements of sql/queries/trusted-devices.sql. */
import type { Statements } from './types.js';
import type { SessionFacts } from './user-rows.js';

export interface NewTrustedDevice {
  readonly id: string;
  readonly userId: string;
  readonly factorId: string;
  readonly name: string;
  readonly tokenHash: string;
  readonly validSeconds: number;
  /** Devices that a user may have. */
  readonly most: number;
}

/** Call it in the transaction of a verification. The oldest devices beyond the maximum go. */
export async function insertTrustedDevice(statements: Statements, device: NewTrustedDevice): Promise<void> {
  const { id, userId, factorId, name, tokenHash, validSeconds, most } = device;
  await statements.run('trusted-devices.insert', [id, userId, factorId, name, tokenHash, validSeconds, most - 1]);
}

export interface TrustedDeviceRow {
  readonly id: string;
  readonly name: string;
  readonly factor_id: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly expires_at: string;
}

/** @param deviceId null: all, oldest first */
export const readTrustedDevices = (
  statements: Statements,
  userId: string,
  deviceId: string | null,
): Promise<readonly TrustedDeviceRow[]> =>
  statements.run<TrustedDeviceRow>('trusted-devices.of_user', [userId, deviceId]);

/** @param deviceId null: all. @returns how many there were */
export async function deleteTrustedDevices(
  statements: Statements,
  userId: string,
  deviceId: string | null,
  audit: readonly object[],
): Promise<number> {
  return (await statements.run('trusted-devices.remove', [userId, deviceId, JSON.stringify(audit)])).length;
}

/** Call it in the transaction that has opened the session. @returns undefined when no such device is trusted */
export async function raiseByDevice(
  statements: Statements,
  sessionId: string,
  userId: string,
  tokenHashes: readonly string[],
): Promise<Pick<SessionFacts, 'aal' | 'amr'> | undefined> {
  const values = [sessionId, userId, tokenHashes];
  return (await statements.run<Pick<SessionFacts, 'aal' | 'amr'>>('trusted-devices.raise', values))[0];
}
