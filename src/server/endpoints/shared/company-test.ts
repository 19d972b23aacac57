/** Tests of sign-ins at companies: they begin at /authorize, as those at other providers, and end at the ACS. */
import type { ApiError } from '../../errors.js';
import { type AttemptTrace, makeTraceSecret } from '../../external/tracing/attempt-trace.js';
import { type ApiRequest, type Reply, redirect } from '../../http/types.js';
import type { App } from '../../runtime/app.js';
import { beginSsoSignIn } from '../../saml/begin-sign-in.js';
import { COMPANY_PREFIX } from '../../saml/company-name.js';
import { assertSamlOn } from '../../saml/saml-on.js';
import { keepBrowserSecret } from './browser-cookie.js';
import { logFailure } from './provider-errors.js';
import { dryRunPage } from './trace-pages.js';

/** @throws ApiError samlDisabled, ssoProviderNotFound */
export async function beginCompanyTest(app: App, request: ApiRequest, trace: AttemptTrace): Promise<Reply> {
  assertSamlOn(app);
  const { headers } = keepBrowserSecret(app, request, makeTraceSecret(app, trace.id));
  const url = await beginSsoSignIn(app, {
    providerId: trace.provider.slice(COMPANY_PREFIX.length),
    domain: '',
    organization: null,
    codeChallenge: '',
    codeChallengeMethod: '',
    // It leads to no application.
    redirectTo: app.config.siteUrl,
    pageFlowId: null,
    trace,
  });
  return redirect(302, url, headers);
}

/** The last page. @param failure with what a sign-in would have been refused; null: with nothing */
export function endOfCompanyTest(app: App, request: ApiRequest, failure: ApiError | null): Reply {
  if (failure === null) return dryRunPage('passed');
  logFailure(app, request, 'sso', failure);
  return { ...dryRunPage(failure), refusal: failure };
}
