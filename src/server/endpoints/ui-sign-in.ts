import { returnPage } from '../pages/account/identities-section.js';
import { goOn } from '../pages/continue.js';
import { beginAtProvider, returnFromProvider } from '../pages/provider-links.js';
import { showSignIn } from '../pages/sign-in-page.js';
import { submitPasskey, submitSignIn } from '../pages/submit-sign-in.js';
import { defineEndpoint } from './shared/define.js';
import { text } from './shared/docs.js';
import { fields } from './shared/fields.js';
import { answerForm, answerStep } from './shared/page.js';
import { flowQuery, formAnswers, formEndpoint, formErrors, pageEndpoint, shownPage } from './shared/page-definition.js';

export const getUiSignIn = defineEndpoint({
  ...shownPage(showSignIn),
  path: '/ui/sign-in',
  query: { ...flowQuery, account: text('other: the form, although somebody is signed in.') },
  id: 'showSignIn',
  summary: 'The page to sign in, or to choose an account.',
  errors: ['pagesDisabled'],
});

export const postUiSignIn = defineEndpoint({
  ...formEndpoint(showSignIn),
  path: '/ui/sign-in',
  limit: ({ body }) => (body.action === 'code' ? 'otp' : 'token'),
  captcha: ({ body }) => body.action !== 'choose',
  body: fields('form_token', 'action', 'address', 'password', 'session_id'),
  id: 'submitSignIn',
  summary: 'Signs in with a password, sends a code, or goes on with an account of this browser.',
  errors: [...formErrors, 'invalidLogin', 'signInThrottled', 'overloaded'],
  handler: (app, request) => answerForm(app, request, (visit) => submitSignIn(visit, request.body)),
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
  query: { ...flowQuery, provider: text('Name of a provider.') },
  id: 'leaveForProvider',
  summary: 'Redirects the browser to a provider.',
  answers: { 303: { description: 'To the provider.', headers: { Location: 'The provider.' } } },
  errors: ['pagesDisabled', 'unsupportedProvider'],
  handler: (app, request) =>
    answerStep(app, request, async (visit) => ({
      to: await beginAtProvider(visit, request.query.get('provider') ?? ''),
    })),
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
