import { randomUUID } from 'node:crypto';
import { insertRelayState } from '../../db/sso.js';
import { readPkce } from '../codes/pkce.js';
import type { AttemptTrace } from '../external/tracing/attempt-trace.js';
import type { App } from '../runtime/app.js';
import { makeSamlId, renderAuthnRequest } from './authn-request.js';
import { describeAuthnRequest } from './examination/describe-steps.js';
import { signedRedirect } from './redirect-binding.js';
import { serviceProviderOf } from './service-provider.js';
import { findSignInTarget, type NamedTarget } from './sign-in-target.js';

export interface SsoRequest extends NamedTarget {
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
 * @returns the address to send the browser to: at the identity provider of SAML, or our /authorize, which gives the browser its
 *   cookie and leads to the one of OpenID Connect
 * @throws ApiError those of PKCE and of {@link findSignInTarget}
 */
export async function beginSsoSignIn(app: App, request: SsoRequest): Promise<string> {
  const { config } = app;
  const pkce = readPkce(request.codeChallenge, request.codeChallengeMethod, 'sso/saml');
  const target = await findSignInTarget(app, request, request.trace !== null);
  if ('openid' in target) return authorizeAddress(app, target.openid, request);
  const provider = target.saml;
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

function authorizeAddress({ config }: App, provider: string, request: SsoRequest): string {
  const { redirectTo: redirect_to, codeChallenge, codeChallengeMethod } = request;
  const pkce =
    codeChallenge === '' ? {} : { code_challenge: codeChallenge, code_challenge_method: codeChallengeMethod };
  return `${config.apiExternalUrl}/authorize?${new URLSearchParams({ provider, redirect_to, ...pkce })}`;
}
