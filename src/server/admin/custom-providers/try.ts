import { readClaimedAddresses } from '../../external/account-linking.js';
import { buildIdentityData } from '../../external/profile.js';
import type { App } from '../../runtime/app.js';
import { assertFields, type GivenFields } from './fields.js';
import { readCustomProvider, requireTools } from './read.js';

/**
 * POST /admin/custom-providers/{identifier}/test
 * @throws ApiError customProvidersDisabled, customProviderNotFound
 */
export async function testCustomProvider(app: App, identifier: string) {
  const row = await readCustomProvider(app, identifier);
  const findings = await requireTools(app).test(row);
  return { ok: !findings.some(({ kind }) => kind === 'wrong'), findings };
}

/**
 * POST /admin/custom-providers/{identifier}/preview: what a sign-in with these claims would store. Nothing is stored.
 * @param given attribute_mapping and custom_claims_allowlist to try in place of those of the provider
 * @throws ApiError customProvidersDisabled, customProviderNotFound, invalidParameter
 */
export async function previewCustomProvider(
  app: App,
  identifier: string,
  claims: Readonly<Record<string, unknown>>,
  given: Pick<GivenFields, 'attribute_mapping' | 'custom_claims_allowlist'>,
) {
  const row = await readCustomProvider(app, identifier);
  assertFields(given);
  const tried = Object.entries(given).filter(([, value]) => value !== undefined);
  const settings = { ...row.settings, ...Object.fromEntries(tried) };
  const profile = requireTools(app).preview({ ...row, settings }, claims);
  const claimed = readClaimedAddresses(profile, app.config.mailerAutoconfirm);
  return {
    provider: row.identifier,
    id: profile.subject,
    email: claimed.email,
    email_verified: claimed.isVerified,
    identity_data: buildIdentityData(app, profile, claimed),
  };
}
