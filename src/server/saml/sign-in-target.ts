/** Where a sign-in at a company leads: what POST /sso is given names a provider of SAML, or one of OpenID Connect of an organization. */
import { findOpenidProviderOf, type SigningOrganization } from '../../db/custom-providers.js';
import {
  findSsoProvider,
  findSsoProviderByDomain,
  findSsoProviderOf,
  type SsoProviderRow,
} from '../../db/sso-providers.js';
import { readUuid } from '../../db/uuid.js';
import { spellDomain } from '../accounts/addresses.js';
import { apiError } from '../errors.js';
import { assertOrganizationsOn } from '../organizations/organizations-on.js';
import type { App } from '../runtime/app.js';
import { assertSamlOn, hasOpenidOfOrganizations } from './saml-on.js';

/** What names the target; '' for what is not given. */
export interface NamedTarget {
  readonly providerId: string;
  readonly domain: string;
  /** Id or slug of an organization; null: not given. */
  readonly organization: string | null;
}

/** A provider of SAML, or the identifier of one of OpenID Connect. */
export type SignInTarget = { readonly saml: SsoProviderRow } | { readonly openid: string };

/**
 * Of an organization with both kinds, the one of SAML comes first, if it is not disabled.
 * @param allowsDisabled an operator tests it
 * @throws ApiError ssoTwoTargets, ssoTargetMissing, ssoOrganizationNotAlone, ssoOrganizationEmpty, ssoProviderIdNotUuid,
 *   ssoProviderNotFound, ssoDomainNotFound, ssoOrganizationNotFound, organizationsDisabled, samlDisabled, ssoProviderDisabled
 */
export async function findSignInTarget(app: App, named: NamedTarget, allowsDisabled: boolean): Promise<SignInTarget> {
  const { providerId, domain, organization } = named;
  if (organization !== null && (organization !== '' || (providerId === '' && domain === ''))) {
    return findTargetOf(app, named, organization);
  }
  if (providerId !== '' && domain !== '') throw apiError('ssoTwoTargets');
  if (providerId === '' && domain === '') throw apiError('ssoTargetMissing');
  if (domain !== '') {
    const spelled = spellDomain(domain);
    const { config, db } = app;
    const saml = config.samlEnabled
      ? await findSsoProviderByDomain(db, spelled, config.samlRequireDomainProof)
      : undefined;
    return orOpenid(app, saml, { domain: spelled }, 'ssoDomainNotFound');
  }
  assertSamlOn(app);
  const id = readUuid(providerId);
  if (id === null) throw apiError('ssoProviderIdNotUuid');
  const saml = await findSsoProvider(app.db, 'id', id);
  if (saml === undefined) throw apiError('ssoProviderNotFound');
  if (saml.disabled === true && !allowsDisabled) throw apiError('ssoProviderDisabled');
  return { saml };
}

/** A slug may look like an id: what looks like one is one. */
async function findTargetOf(
  app: App,
  { providerId, domain }: NamedTarget,
  organization: string,
): Promise<SignInTarget> {
  if (providerId !== '' || domain !== '') throw apiError('ssoOrganizationNotAlone');
  assertOrganizationsOn(app);
  if (organization === '') throw apiError('ssoOrganizationEmpty');
  const id = readUuid(organization);
  const named = id === null ? { slug: organization } : { id };
  const saml = app.config.samlEnabled ? await findSsoProviderOf(app.db, named) : undefined;
  return orOpenid(app, saml, named, 'ssoOrganizationNotFound');
}

async function orOpenid(
  app: App,
  saml: SsoProviderRow | undefined,
  organization: SigningOrganization,
  missing: 'ssoDomainNotFound' | 'ssoOrganizationNotFound',
): Promise<SignInTarget> {
  if (saml !== undefined && saml.disabled !== true) return { saml };
  const openid = hasOpenidOfOrganizations(app) ? await findOpenidProviderOf(app.db, organization) : undefined;
  if (openid?.is_enabled) return { openid: openid.identifier };
  throw apiError(saml === undefined && openid === undefined ? missing : 'ssoProviderDisabled');
}
