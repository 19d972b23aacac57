/** What administrators alone may say of a client. */
import type { NewClient } from '../../db/oauth-clients.js';
import { readUuid } from '../../db/uuid.js';
import type { Config } from '../config/settings.js';
import { type ApiError, apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { findResourceFault } from './resources.js';

/** As sent; every field may be absent. */
export interface GivenAdminFields {
  /** Seconds. */
  readonly refresh_token_ttl?: number;
  readonly resources?: readonly string[];
  readonly role?: string;
  /** Empty: none. */
  readonly organization_id?: string;
  readonly organization_roles?: readonly string[];
}

export type AdminFields = Pick<
  NewClient,
  'refresh_ttl_seconds' | 'resources' | 'role' | 'organization_id' | 'org_roles'
>;

/** Those of a client that has registered itself, and where an administrator says nothing. */
export const usualAdminFields: AdminFields = {
  refresh_ttl_seconds: null,
  resources: [],
  role: null,
  organization_id: null,
  org_roles: [],
};

const MAX_TTL_SECONDS = 10 * 365 * 86_400;
const MAX_ROLES = 16;

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
    ...readServed(config, given),
  };
}

function readServed(
  { organizationsEnabled: isOn }: Pick<Config, 'organizationsEnabled'>,
  { organization_id: given, organization_roles: roles }: GivenAdminFields,
): Partial<AdminFields> {
  if (!isOn && (given !== undefined || roles !== undefined)) {
    throw invalid('organization_id and organization_roles need ORGANIZATIONS_ENABLED');
  }
  const id = given === undefined || given === '' ? null : readUuid(given);
  if (id === null && given) throw invalid('organization_id is no UUID');
  return {
    ...(given !== undefined && { organization_id: id }),
    // Without an organization there is nothing to be in it.
    ...(given === '' && { org_roles: [] }),
    ...(roles !== undefined && { org_roles: readClientRoles(roles) }),
  };
}

/** @returns sorted, each once. @throws ApiError clientMetadataInvalid */
export function readClientRoles(roles: readonly string[]): readonly string[] {
  const sorted = [...new Set(roles)].sort();
  if (sorted.length > MAX_ROLES) throw invalid(`organization_roles may have at most ${MAX_ROLES} names`);
  return sorted;
}

/** @throws ApiError clientMetadataInvalid */
export function assertRolesFit({ organization_id: id, org_roles: roles }: AdminFields): void {
  if (id === null && roles.length > 0) throw invalid('organization_roles needs organization_id');
}
