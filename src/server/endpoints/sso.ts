import { json, redirect } from '../http/types.js';
import { beginSsoSignIn } from '../saml/begin-sign-in.js';
import { assertSsoOn } from '../saml/saml-on.js';
import { redirectOf } from './shared/client.js';
import { defineEndpoint } from './shared/define.js';
import { ok, pkceErrors, redirectAnswer } from './shared/docs.js';
import { fields } from './shared/fields.js';

export const postSso = defineEndpoint({
  method: 'POST',
  path: '/sso',
  caller: 'none',
  assertOn: assertSsoOn,
  limit: 'sso',
  captcha: true,
  body: fields(
    'provider_id',
    'domain',
    'organization',
    'redirect_to',
    'skip_http_redirect',
    'code_challenge',
    'code_challenge_method',
  ),
  id: 'signInWithSso',
  tag: 'Sign-in',
  summary:
    'Sends the browser to the identity provider of a company (SAML 2.0), or to that of an organization (also OpenID Connect).',
  answers: {
    ...ok('Url', 'With skip_http_redirect: the URL to open in the browser.'),
    303: redirectAnswer('To the identity provider, by /authorize where it is one of OpenID Connect.'),
  },
  errors: [
    'samlDisabled',
    'ssoTwoTargets',
    'ssoTargetMissing',
    'ssoOrganizationNotAlone',
    'ssoOrganizationEmpty',
    'ssoProviderIdNotUuid',
    'ssoProviderNotFound',
    'ssoDomainNotFound',
    'ssoOrganizationNotFound',
    'organizationsDisabled',
    'ssoProviderDisabled',
    ...pkceErrors,
  ],
  async handler(app, request) {
    const { body } = request;
    const url = await beginSsoSignIn(app, {
      providerId: body.provider_id ?? '',
      domain: body.domain ?? '',
      organization: body.organization ?? null,
      codeChallenge: body.code_challenge ?? '',
      codeChallengeMethod: body.code_challenge_method ?? '',
      redirectTo: redirectOf(app, request, body.redirect_to),
      pageFlowId: null,
      trace: null,
    });
    return body.skip_http_redirect === true ? json({ url }) : redirect(303, url);
  },
});
