/** What administrators alone may say of a client. */
import type { NewClient } from '../../db/oauth-clients.js';
import { type ApiError, apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { findResourceFault } from './resources.js';

/** As sent; every field may be absent. */
export interface GivenAdminFields {
  /** Seconds. */
  readonly refresh_token_ttl?: number;
  readonly resources?: readonly string[];
  readonly role?: string;
}

export type AdminFields = Pick<NewClient, 'refresh_ttl_seconds' | 'resources' | 'role'>;

/** Those of a client that has registered itself, and where an administrator says nothing. */
export const usualAdminFields: AdminFields = { refresh_ttl_seconds: null, resources: [], role: null };

const MAX_TTL_SECONDS = 10 * 365 * 86_400;

const invalid = (reason: string): ApiError => apiError('clientMetadataInvalid', { reason });

/** Those fields that are present. @throws ApiError clientMetadataInvalid */
export function readAdminFields({ config }: Pick<App, 'config'>, given: GivenAdminFields): Partial<AdminFields> {
  const { refresh_token_ttl: ttl, resources, role } = given;
  if (ttl !== undefined && (!Number.isInteger(ttl) || ttl < 1 || ttl > MAX_TTL_SECONDS)) {
    throw invalid(`refresh_token_ttl must be between 1 and ${MAX_TTL_SECONDS} seconds`);
  }
  const fault = findResourceFault(config, resources ?? []);
  if (fault !== null) throw invalid(`resources: ${fault}`);
  if (role !== undefined && !config.oauthServerMachineRoles.includes(role)) {
    throw invalid('role must be one of OAUTH_SERVER_MACHINE_ROLES');
  }
  return {
    ...(ttl !== undefined && { refresh_ttl_seconds: ttl }),
    ...(resources !== undefined && { resources: [...new Set(resources)] }),
    ...(role !== undefined && { role }),
  };
}
