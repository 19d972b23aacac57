import { returnPage } from '../pages/account/identities-section.js';
import { orAtCompany } from '../pages/company.js';
import { showCompany, submitCompany } from '../pages/company-page.js';
import { goOn } from '../pages/continue.js';
import { leaveForProvider, returnFromProvider } from '../pages/provider-links.js';
import { showSignIn } from '../pages/sign-in-page.js';
import { submitPasskey, submitSignIn } from '../pages/submit-sign-in.js';
import { defineEndpoint } from './shared/define.js';
import { text } from './shared/docs.js';
import { fields } from './shared/fields.js';
import { answerForm, answerStep } from './shared/page.js';
import {
  flowQuery,
  formAnswers,
  formEndpoint,
  formErrors,
  pageAnswers,
  pageEndpoint,
  shownPage,
} from './shared/page-definition.js';

export const getUiSignIn = defineEndpoint({
  ...shownPage(showSignIn),
  path: '/ui/sign-in',
  query: {
    ...flowQuery,
    account: text('other: the form, although somebody is signed in.'),
    step: text('password: its other half, where the address is asked for first.'),
  },
  id: 'showSignIn',
  summary: 'The page to sign in, or to choose an account.',
  errors: ['pagesDisabled'],
});

const limits: Readonly<Record<string, 'otp' | 'authorize'>> = { code: 'otp', next: 'authorize' };

export const postUiSignIn = defineEndpoint({
  ...formEndpoint(showSignIn),
  path: '/ui/sign-in',
  limit: ({ body }) => limits[body.action ?? ''] ?? 'token',
  captcha: ({ body }) => !['choose', 'next'].includes(body.action ?? ''),
  body: fields('form_token', 'action', 'address', 'password', 'session_id'),
  id: 'submitSignIn',
  summary: 'Signs in with a password, sends a code, or goes on with an address or with an account of this browser.',
  errors: [...formErrors, 'invalidLogin', 'signInThrottled', 'overloaded'],
  handler: (app, request) => answerForm(app, request, (visit) => orAtCompany(visit, submitSignIn(visit, request.body))),
});

export const postUiPasskey = defineEndpoint({
  ...formEndpoint(showSignIn),
  path: '/ui/passkey',
  limit: 'passkey',
  body: fields('form_token', 'challenge_id', 'credential_json'),
  id: 'submitPasskey',
  summary: 'Signs in with the answer of a passkey.',
  errors: [...formErrors, 'webauthnResponseFalse'],
  handler: (app, request) => answerForm(app, request, (visit) => submitPasskey(visit, request.body)),
});

export const getUiProvider = defineEndpoint({
  ...pageEndpoint(showSignIn),
  method: 'GET',
  changesOnGet: true,
  path: '/ui/provider',
  limit: 'authorize',
  query: {
    ...flowQuery,
    provider: text('Name of a provider, or sso: with the id of the one of a company.'),
    form: text('1: a form led here, so a page leads on.'),
  },
  id: 'leaveForProvider',
  summary: 'Redirects the browser to a provider.',
  answers: {
    ...pageAnswers,
    303: { description: 'To the provider.', headers: { Location: 'The provider.' } },
  },
  errors: [
    'pagesDisabled',
    'unsupportedProvider',
    'ssoProviderIdNotUuid',
    'ssoProviderNotFound',
    'ssoProviderDisabled',
  ],
  handler: (app, request) =>
    answerStep(app, request, (visit) => leaveForProvider(visit, request.query.get('provider') ?? '')),
});

export const getUiCompany = defineEndpoint({
  ...shownPage(showCompany),
  path: '/ui/company',
  id: 'showCompany',
  summary: 'The page for the address or the domain of a company.',
});

export const postUiCompany = defineEndpoint({
  ...formEndpoint(showCompany),
  path: '/ui/company',
  limit: 'sso',
  body: fields('form_token', 'address'),
  id: 'submitCompany',
  summary: 'Leads to the identity provider of the company.',
  errors: [...formErrors, 'ssoDomainNotFound'],
  handler: (app, request) => answerForm(app, request, submitCompany),
});

export const getUiReturn = defineEndpoint({
  ...pageEndpoint(returnPage),
  method: 'GET',
  changesOnGet: true,
  path: '/ui/return',
  limit: 'token',
  query: { ...flowQuery, code: text('The code of the callback.'), error_code: text('Why there is none.') },
  id: 'returnFromProvider',
  summary: 'Signs in with the code of a callback that began on a page.',
  answers: formAnswers,
  errors: ['pagesDisabled', 'flowStateNotFound', 'badCodeVerifier'],
  handler: (app, request) => answerStep(app, request, returnFromProvider),
});

export const getUiContinue = defineEndpoint({
  ...pageEndpoint(showSignIn),
  method: 'GET',
  changesOnGet: true,
  path: '/ui/continue',
  // Its end is a row, or a session.
  limit: 'authorize',
  query: flowQuery,
  id: 'continueFlow',
  summary: 'Leads to what a sign-in still lacks, or ends the flow.',
  answers: formAnswers,
  errors: ['pagesDisabled', 'sessionNotFound'],
  handler: (app, request) => answerStep(app, request, goOn),
});
