/** Sign-in at identity providers from the pages. */
import { createHash, createHmac } from 'node:crypto';
import type { LinkTarget } from '../../db/flow-states.js';
import { html, type Markup } from '../../html.js';
import { apiError, type ErrorName } from '../errors.js';
import { beginExternalSignIn } from '../external/authorize.js';
import { exchangeAuthCode } from '../external/exchange-code.js';
import { beginSsoSignIn } from '../saml/begin-sign-in.js';
import { accountOf, keepSignIn } from './browser.js';
import { FROM_FORM, findCompany, otherWays, readCompanyName } from './company.js';
import { showHop } from './continue.js';
import { pageLink } from './form.js';
import type { PageOutcome } from './outcome.js';
import type { Visit } from './visit.js';

const names: Readonly<Record<string, string>> = {
  azure: 'Microsoft',
  github: 'GitHub',
  gitlab: 'GitLab',
  linkedin: 'LinkedIn',
  linkedin_oidc: 'LinkedIn',
  slack_oidc: 'Slack',
  twitter: 'X',
  workos: 'WorkOS',
};

/** Links and no buttons of a form: the policy of the pages would stop a form that leads to another site. */
export function listProviderLinks(visit: Visit): readonly Markup[] {
  const { providers } = visit.app;
  return Object.entries(providers.switches)
    .filter(([, isOn]) => isOn)
    .map(([name]) => {
      const address = `${pageLink(visit, 'provider')}&provider=${encodeURIComponent(name)}`;
      return html`<a class="button plain" href="${address}">${visit.words('sign_in.with_provider', { provider: nameOfProvider(name) })}</a>`;
    });
}

/** As people know it. */
export function nameOfProvider(provider: string): string {
  const word = provider.replace(/^custom:/, '');
  return names[provider] ?? `${word.charAt(0).toUpperCase()}${word.slice(1).replace(/[_-]/g, ' ')}`;
}

/**
 * Begins a sign-in at a provider. The callback comes back to the page with a code that only this browser can use.
 * @param linkTo account and session that get the identity; null: a sign-in
 * @returns the address of the provider
 * @throws ApiError those of {@link beginExternalSignIn}
 */
export function beginAtProvider(visit: Visit, provider: string, linkTo: LinkTarget | null = null): Promise<string> {
  return beginExternalSignIn(visit.app, {
    provider,
    scopes: '',
    codeChallenge: challengeOf(visit),
    codeChallengeMethod: 's256',
    inviteToken: '',
    parameters: new Map(),
    redirectTo: visit.app.config.siteUrl,
    browserSecret: null,
    linkTo,
    pageFlowId: visit.flow.id,
    trace: null,
  });
}

/** Leaves for a provider. After a form, whose policy would stop a redirect, a page leads there; to SAML always. @throws ApiError */
export async function leaveForProvider(visit: Visit, provider: string): Promise<PageOutcome> {
  const companyId = readCompanyName(visit, provider);
  const url = companyId === null ? await beginAtProvider(visit, provider) : await beginAtCompany(visit, companyId);
  if (companyId === null && !visit.query.has(FROM_FORM)) return { to: url };
  const company = await findCompany(visit);
  return { view: showHop(visit, url, company?.provider === provider ? otherWays(visit, company) : null) };
}

const beginAtCompany = (visit: Visit, providerId: string): Promise<string> =>
  beginSsoSignIn(visit.app, {
    providerId,
    domain: '',
    organization: null,
    codeChallenge: challengeOf(visit),
    codeChallengeMethod: 's256',
    redirectTo: visit.app.config.siteUrl,
    pageFlowId: visit.flow.id,
    trace: null,
  });

/** Refusals of a callback that have words of their own, by error_code. */
const refusals: ReadonlyMap<string, ErrorName> = new Map([
  ['signup_disabled', 'signupDisabled'],
  ['user_banned', 'userBanned'],
  ['provider_email_needs_verification', 'emailNotConfirmed'],
  ['identity_already_exists', 'identityOfOtherUser'],
  ['saml_relay_state_not_found', 'samlRelayStateNotFound'],
  ['saml_relay_state_expired', 'samlRelayStateExpired'],
]);

/** Signs in with the code of a callback. @throws ApiError of a refusal, and those of {@link exchangeAuthCode} */
export async function returnFromProvider(visit: Visit): Promise<PageOutcome> {
  const refusal = refusals.get(visit.query.get('error_code') ?? '');
  // A double click there: the first answer has signed in.
  if (refusal === 'samlRelayStateNotFound' && accountOf(visit) !== undefined)
    return { to: pageLink(visit, 'continue') };
  if (refusal !== undefined) throw apiError(refusal);
  const code = visit.query.get('code') ?? '';
  const tokens = await exchangeAuthCode(visit.app, visit.client, code, verifierOf(visit));
  return { to: pageLink(visit, 'continue'), secret: await keepSignIn(visit, tokens) };
}

const challengeOf = (visit: Visit): string => createHash('sha256').update(verifierOf(visit)).digest('base64url');

/** PKCE (RFC 7636 4.1) with a secret that is derived, so it need not be stored. */
const verifierOf = ({ app, secretHash, flow }: Visit): string =>
  createHmac('sha256', app.keys.flow.current).update(`page ${secretHash} ${flow.id}`).digest('base64url');
