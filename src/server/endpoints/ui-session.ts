import { apiError } from '../errors.js';
import { showFailure } from '../pages/error-page.js';
import { showMfa } from '../pages/mfa-page.js';
import { showPassword, submitPassword } from '../pages/password-page.js';
import { showSignIn } from '../pages/sign-in-page.js';
import { showSignedOut, submitSignOut } from '../pages/sign-out-page.js';
import { submitMfa } from '../pages/submit-mfa.js';
import { defineEndpoint } from './shared/define.js';
import { text } from './shared/docs.js';
import { fields } from './shared/fields.js';
import { answerForm, answerPlainPage } from './shared/page.js';
import {
  accountErrors,
  accountFormErrors,
  flowQuery,
  formEndpoint,
  pageAnswers,
  pageEndpoint,
  shownPage,
} from './shared/page-definition.js';

export const getUiMfa = defineEndpoint({
  ...shownPage(showMfa),
  path: '/ui/mfa',
  query: { ...flowQuery, factor: text('Id of the factor, or recovery.') },
  id: 'showMfa',
  summary: 'The page for the second factor.',
  errors: accountErrors,
});

export const postUiMfa = defineEndpoint({
  ...formEndpoint(showMfa),
  path: '/ui/mfa',
  limit: ({ body }) => (body.action === 'begin' ? 'factor_challenge' : 'factor_verify'),
  body: fields('form_token', 'action', 'factor_id', 'challenge_id', 'code', 'credential_json'),
  id: 'submitMfa',
  summary: 'Verifies a second factor, sends a code to it, or enrols one where it is required.',
  errors: [...accountFormErrors, 'factorNotFound', 'totpCodeWrong', 'phoneCodeWrong', 'factorThrottled'],
  handler: (app, request) => answerForm(app, request, (visit) => submitMfa(visit, request.body)),
});

export const getUiPassword = defineEndpoint({
  ...shownPage(showPassword),
  path: '/ui/password',
  query: { ...flowQuery, done: text('sent: a code is on its way.') },
  id: 'showPassword',
  summary: 'The page to set a new password, within a sign-in.',
  errors: accountErrors,
});

export const postUiPassword = defineEndpoint({
  ...formEndpoint(showPassword),
  path: '/ui/password',
  limit: 'user',
  body: fields('form_token', 'action', 'code', 'password', 'current_password'),
  id: 'submitPassword',
  summary: 'Sets a new password.',
  errors: [...accountFormErrors, 'weakPassword', 'samePassword', 'aalForCredentials', 'overloaded'],
  handler: (app, request) => answerForm(app, request, (visit) => submitPassword(visit, request.body)),
});

export const postUiSignOut = defineEndpoint({
  ...formEndpoint(showSignIn),
  path: '/ui/sign-out',
  body: fields('form_token', 'session_id'),
  id: 'submitSignOut',
  summary: 'Signs out of one account of this browser, or of all.',
  errors: accountFormErrors,
  handler: (app, request) => answerForm(app, request, (visit) => submitSignOut(visit, request.body.session_id ?? '')),
});

export const getUiSignedOut = defineEndpoint({
  ...pageEndpoint(showSignIn),
  method: 'GET',
  path: '/ui/signed-out',
  id: 'showSignedOut',
  summary: 'Says that nobody is signed in any more.',
  answers: pageAnswers,
  errors: ['pagesDisabled'],
  handler: (app, request) => answerPlainPage(app, request, showSignedOut),
});

/** A request id of a server in front may look different. */
const ERROR_ID = /^[A-Za-z0-9._-]{1,128}$/;

export const getUiError = defineEndpoint({
  ...pageEndpoint(showSignIn),
  method: 'GET',
  path: '/ui/error',
  query: { error_id: text('Id of the request that failed.') },
  id: 'showError',
  summary: 'Says in plain words that something did not work, and how to go on.',
  answers: pageAnswers,
  errors: ['pagesDisabled'],
  handler(app, request) {
    const given = request.query.get('error_id') ?? '';
    const id = ERROR_ID.test(given) ? given : request.id;
    return answerPlainPage(app, request, (frame) => ({
      ...showFailure(frame, apiError('unexpectedFailure'), id, 'sign-in'),
      status: 200,
    }));
  },
});
