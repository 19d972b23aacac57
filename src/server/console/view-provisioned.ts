/** By whom an account is provisioned (SCIM), as the console shows it. */
import { listProvisioned, type ProvisionedRow } from '../../db/scim-accounts.js';
import type { App } from '../runtime/app.js';
import { COMPANY_PREFIX } from '../saml/company-name.js';
import { listOf, objectOf, orNull } from './define-console.js';

const text = { type: 'string' } as const;

/** Schema of the list. */
export const provisionedList = {
  ...listOf(
    objectOf({
      provider_id: orNull('string'),
      organization_id: orNull('string'),
      organization_name: orNull('string'),
      user_name: text,
      active: { type: 'boolean' },
      deleted_at: orNull('string'),
      updated_at: text,
      groups: listOf(text),
    }),
  ),
  description: 'By which identity providers it is provisioned (SCIM), the oldest first, with its groups there.',
} as const;

/** Reads nothing where provisioning is off. */
export const readProvisioned = async ({ config, db }: App, userId: string): Promise<readonly ProvisionedRow[]> =>
  config.scimEnabled ? await listProvisioned(db, userId) : [];

/** Companies among those that provision an account, as identities name them. */
export const companiesOf = (rows: readonly ProvisionedRow[]): readonly string[] =>
  rows.flatMap(({ provider_id: id }) => (id === null ? [] : [`${COMPANY_PREFIX}${id}`]));
