/** Devices that stand for a second factor at sign-in (docs/mfa.md, Trusted devices). */
import { createHmac, type KeyObject } from 'node:crypto';
import { within } from '../../db/rehearse.js';
import { deleteTrustedDevices, raiseByDevice } from '../../db/trusted-devices.js';
import type { Database, Statements } from '../../db/types.js';
import type { SessionColumns, UserRow } from '../../db/user-rows.js';
import type { App, Client } from '../runtime/app.js';
import { hasVerifiedFactor } from './verified-factor.js';

/** Tokens have 256 random bits, so no slow hash is needed. @returns base64url */
export const hashDeviceToken = (key: KeyObject, token: string): string =>
  createHmac('sha256', key).update(token).digest('base64url');

type Write<Row> = (db: Database) => Promise<Row | undefined>;

/**
 * Adds to the write of a sign-in, in one transaction, that a trusted device raises the session. An unknown or expired token
 * changes nothing.
 * @returns the write itself while the feature is off, or without a token
 */
export function recognisingDevice<Row extends UserRow & Partial<SessionColumns>>(
  { config, keys }: Pick<App, 'config' | 'keys'>,
  { trustedDeviceToken: token }: Client,
  write: Write<Row>,
): Write<Row> {
  if (token === undefined || !config.mfaTrustedDeviceEnabled) return write;
  return (db) =>
    db.transaction(async (statements) => {
      const row = await write(within(db, statements));
      if (!row?.session_id || row.aal !== 'aal1' || !hasVerifiedFactor({ factors: row.factors ?? null })) return row;
      const hashes = keys.trustedDevice.accepted(Date.now()).map((key) => hashDeviceToken(key, token));
      const raised = await raiseByDevice(statements, row.session_id, row.id, hashes);
      return raised === undefined ? row : { ...row, ...raised };
    });
}

/** Ends the trust in all devices of a user. Call it with the account locked. */
export async function endTrust({ config }: Pick<App, 'config'>, statements: Statements, userId: string): Promise<void> {
  if (config.mfaTrustedDeviceEnabled) await deleteTrustedDevices(statements, userId, null, []);
}
