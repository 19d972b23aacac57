import { randomUUID } from 'node:crypto';
import { insertRelayState } from '../../db/sso.js';
import {
  findSsoProvider,
  findSsoProviderByDomain,
  findSsoProviderOf,
  type SsoProviderRow,
} from '../../db/sso-providers.js';
import { readUuid } from '../../db/uuid.js';
import { spellDomain } from '../accounts/addresses.js';
import { readPkce } from '../codes/pkce.js';
import { apiError } from '../errors.js';
import type { AttemptTrace } from '../external/tracing/attempt-trace.js';
import { assertOrganizationsOn } from '../organizations/organizations-on.js';
import type { App } from '../runtime/app.js';
import { makeSamlId, renderAuthnRequest } from './authn-request.js';
import { describeAuthnRequest } from './examination/describe-steps.js';
import { signedRedirect } from './redirect-binding.js';
import { serviceProviderOf } from './service-provider.js';

export interface SsoRequest {
  /** '' for none. */
  readonly providerId: string;
  /** '' for none. */
  readonly domain: string;
  /** Id or slug of the organization at whose provider the person signs in; '' for none. */
  readonly organization: string;
  readonly codeChallenge: string;
  readonly codeChallengeMethod: string;
  /** An allowed target. */
  readonly redirectTo: string;
  /** Flow of the hosted pages that the sign-in is part of; null: none. */
  readonly pageFlowId: string | null;
  /** Of an operator who tests the sign-in, also while it is disabled; null: it is no test. */
  readonly trace: AttemptTrace | null;
}

/**
 * POST /sso, the hosted pages, and tests of operators.
 * @returns the address at the identity provider to send the browser to
 * @throws ApiError ssoTwoTargets, ssoTargetMissing, ssoOrganizationNotAlone, ssoProviderIdNotUuid, those of PKCE,
 *   ssoProviderNotFound, ssoDomainNotFound, ssoOrganizationNotFound, organizationsDisabled, ssoProviderDisabled
 */
export async function beginSsoSignIn(app: App, request: SsoRequest): Promise<string> {
  const { config } = app;
  const pkce = readPkce(request.codeChallenge, request.codeChallengeMethod, 'sso/saml');
  const provider = await findTarget(app, request);
  if (provider.disabled === true && request.trace === null) throw apiError('ssoProviderDisabled');
  const state = { id: randomUUID(), requestId: makeSamlId() };
  const own = serviceProviderOf(config);
  const xml = renderAuthnRequest(own, provider, { id: state.requestId, nowMs: Date.now() });
  const message = { parameter: 'SAMLRequest', xml, relayState: state.id } as const;
  const url = await signedRedirect(app, own, provider.metadata.sso_url, message);
  const stored = {
    ...state,
    providerId: provider.id,
    redirectTo: request.redirectTo,
    codeChallenge: pkce?.challenge ?? null,
    codeChallengeMethod: pkce?.method ?? null,
    pageFlowId: request.pageFlowId,
    traceId: request.trace?.id ?? null,
  };
  await insertRelayState(app.db, stored, config.samlRelayStateValidityPeriodSeconds);
  request.trace?.noteStep('saml_request', true, describeAuthnRequest(provider, own, url));
  app.housekeeping.recordFlow();
  return url;
}

async function findTarget(app: App, { providerId, domain, organization }: SsoRequest): Promise<SsoProviderRow> {
  const { db, config } = app;
  if (organization !== '') {
    if (providerId !== '' || domain !== '') throw apiError('ssoOrganizationNotAlone');
    return findTargetOf(app, organization);
  }
  if (providerId !== '' && domain !== '') throw apiError('ssoTwoTargets');
  if (providerId === '' && domain === '') throw apiError('ssoTargetMissing');
  if (domain !== '') {
    const found = await findSsoProviderByDomain(db, spellDomain(domain), config.samlRequireDomainProof);
    if (found === undefined) throw apiError('ssoDomainNotFound');
    return found;
  }
  const id = readUuid(providerId);
  if (id === null) throw apiError('ssoProviderIdNotUuid');
  const found = await findSsoProvider(db, 'id', id);
  if (found === undefined) throw apiError('ssoProviderNotFound');
  return found;
}

/** A slug may look like an id: what looks like one is one. */
async function findTargetOf(app: App, organization: string): Promise<SsoProviderRow> {
  assertOrganizationsOn(app);
  const id = readUuid(organization);
  const found = await findSsoProviderOf(app.db, id === null ? { slug: organization } : { id });
  if (found === undefined) throw apiError('ssoOrganizationNotFound');
  return found;
}
