/** The statements of sql/queries/oauth-devices.sql. */
import type { AuthorizationStatus } from './oauth-authorizations.js';
import type { OauthClientRow } from './oauth-clients.js';
import type { Statements } from './types.js';

export interface NewDeviceRequest {
  readonly id: string;
  readonly clientId: string;
  /** As sent. */
  readonly scope: string;
  readonly scopes: readonly string[];
  readonly resources: readonly string[];
  readonly deviceCodeHash: string;
  readonly userCode: string;
  /** Least number of seconds between two polls. */
  readonly pollSeconds: number;
  readonly userAgent: string | null;
  readonly ip: string | null;
  /** Id or slug of the organization that the client names. */
  readonly askedOrganization: string | null;
}

/** @returns false when the user code is taken */
export async function insertDeviceRequest(db: Statements, request: NewDeviceRequest): Promise<boolean> {
  const rows = await db.run('oauth-devices.begin', [
    request.id,
    request.clientId,
    request.scope,
    request.scopes,
    request.resources,
    request.deviceCodeHash,
    request.userCode,
    request.pollSeconds,
    request.userAgent,
    request.ip,
    request.askedOrganization,
  ]);
  return rows.length === 1;
}

/** What a device asks of its user. */
export interface DeviceRequest {
  readonly request: {
    readonly id: string;
    readonly status: AuthorizationStatus;
    readonly user_code: string;
    readonly scope: string;
    readonly scopes: readonly string[];
    /** Where the device asked from. */
    readonly user_agent: string | null;
    readonly ip: string | null;
    /** Who has decided. */
    readonly user_id: string | null;
    readonly asked_organization: string | null;
    readonly asks_organization: boolean;
    readonly created_at: string;
  };
  readonly client: OauthClientRow;
}

/** @returns undefined when there is none, or it has expired */
export async function findDeviceRequest(
  db: Statements,
  userCode: string,
  ttlSeconds: number,
): Promise<DeviceRequest | undefined> {
  return (await db.run<DeviceRequest>('oauth-devices.find', [userCode, ttlSeconds]))[0];
}

export interface DevicePoll {
  readonly status: AuthorizationStatus;
  /** It asked again too soon. */
  readonly is_early: boolean;
  readonly is_expired: boolean;
}

/** @returns undefined for an unknown device code, or that of another client */
export async function pollDeviceRequest(
  db: Statements,
  deviceCodeHash: string,
  clientId: string,
  ttlSeconds: number,
): Promise<DevicePoll | undefined> {
  return (await db.run<DevicePoll>('oauth-devices.poll', [deviceCodeHash, clientId, ttlSeconds]))[0];
}
