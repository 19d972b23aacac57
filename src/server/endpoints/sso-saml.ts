import { redirect } from '../http/types.js';
import { externalAddress, withFragment, withoutFragment, withQuery } from '../redirects/locations.js';
import type { App } from '../runtime/app.js';
import { type ConsumedResponse, consumeResponse, takeReturnedState } from '../saml/consume.js';
import { findTest, finishTest } from '../saml/examination/test-sign-in.js';
import { renderOwnMetadata } from '../saml/own-metadata.js';
import { assertSamlOn } from '../saml/saml-on.js';
import { tokenParameters } from '../sessions/open.js';
import { readBrowserSecret } from './shared/browser-cookie.js';
import { audienceOf, clientOf } from './shared/client.js';
import { endOfCompanyTest } from './shared/company-test.js';
import { defineEndpoint } from './shared/define.js';
import { redirectAnswer, text } from './shared/docs.js';
import { returnPath } from './shared/page-return.js';
import { refuseSso } from './shared/sso-refusal.js';

/** Decoding takes 6 ms at most. A response with a thousand groups has 150 kB. */
const MAX_FORM_BYTES = 262_144;

export const getSsoSamlMetadata = defineEndpoint({
  method: 'GET',
  path: '/sso/saml/metadata',
  caller: 'none',
  assertOn: assertSamlOn,
  query: { download: { enum: ['true', 'false'], description: 'true: as a file that is valid for five years.' } },
  id: 'samlMetadata',
  tag: 'Sign-in',
  summary: 'Describes this server to identity providers (SAML Metadata 2.0).',
  answers: { 200: { description: 'The metadata, as application/xml.' } },
  errors: ['samlDisabled'],
  handler(app, { query }) {
    const isDownload = query.get('download') === 'true';
    const maxAge = app.config.samlPrivateKeyNext === '' ? 600 : 60;
    return {
      status: 200,
      body: renderOwnMetadata(app, isDownload, Date.now()),
      isForAnyOrigin: true,
      headers: {
        'Content-Type': 'application/xml',
        'Cache-Control': `public, max-age=${maxAge}`,
        ...(isDownload && { 'Content-Disposition': 'attachment; filename="metadata.xml"' }),
      },
    };
  },
});

export const postSsoSamlAcs = defineEndpoint({
  method: 'POST',
  path: '/sso/saml/acs',
  caller: 'none',
  assertOn: assertSamlOn,
  limit: 'saml_assertion',
  form: true,
  maxBodyBytes: MAX_FORM_BYTES,
  query: {
    SAMLResponse: text('The response of the identity provider, in base64.'),
    RelayState: text('As it was sent to the identity provider; empty or a URL where the sign-in began there.'),
  },
  id: 'samlResponse',
  tag: 'Sign-in',
  summary: 'Handles the return from the identity provider of a company (SAML Profiles 4.1.4).',
  description: 'The parameters come as a form, never in the query.',
  answers: {
    200: { description: 'The end of a test that an operator follows: a page.' },
    302: redirectAnswer('To the application: tokens in the fragment, or a code (PKCE).'),
    303: redirectAnswer(
      'Refused: to SITE_URL, or to the hosted pages that it came from, with error, error_code and error_description.',
    ),
  },
  errors: ['samlDisabled'],
  async handler(app, request) {
    let pageFlowId: string | null = null;
    try {
      // Reading the form may refuse it, too.
      const { form } = request;
      const state = await takeReturnedState(app, form);
      pageFlowId = state.row?.page_flow_id ?? null;
      const test = await findTest(app, state, readBrowserSecret(app, request));
      if (test !== null) {
        const failure = await finishTest(app, request.id, test, form, state);
        return endOfCompanyTest(app, request, failure);
      }
      const consumed = await consumeResponse(app, clientOf(request), form, state, audienceOf(app, request));
      return redirect(302, buildLocation(app, consumed, pageFlowId));
    } catch (error) {
      return refuseSso(app, request, error, pageFlowId);
    }
  },
});

/** Where the browser goes on. The target is checked again: URI_ALLOW_LIST may have changed since POST /sso (SEC-34). */
function buildLocation(app: App, consumed: ConsumedResponse, pageFlowId: string | null): string {
  const target =
    pageFlowId === null
      ? app.redirects.choose([consumed.redirectTo]).url
      : externalAddress(app.config, returnPath(pageFlowId));
  if ('authCode' in consumed) return withQuery(withoutFragment(target), { code: consumed.authCode });
  return withFragment(target, tokenParameters(consumed.tokens));
}
