import { sendRecoveryCode, showCode, submitCode } from '../pages/code-page.js';
import { showLink, submitLink } from '../pages/link-page.js';
import { showRecover } from '../pages/recover-page.js';
import { showSignUp, submitSignUp } from '../pages/sign-up-page.js';
import { defineEndpoint } from './shared/define.js';
import { sendErrors, text } from './shared/docs.js';
import { fields } from './shared/fields.js';
import {
  answerForm,
  answerPage,
  flowQuery,
  formAnswers,
  formErrors,
  pageAnswers,
  pageEndpoint,
} from './shared/page.js';

export const getUiSignUp = defineEndpoint({
  ...pageEndpoint(showSignUp),
  method: 'GET',
  path: '/ui/sign-up',
  query: flowQuery,
  id: 'showSignUp',
  summary: 'The page to create an account.',
  answers: pageAnswers,
  errors: ['pagesDisabled'],
  handler: (app, request) => answerPage(app, request, showSignUp),
});

export const postUiSignUp = defineEndpoint({
  ...pageEndpoint(showSignUp),
  method: 'POST',
  path: '/ui/sign-up',
  form: true,
  limit: 'signup',
  captcha: true,
  body: fields('form_token', 'address', 'password', 'website'),
  query: flowQuery,
  id: 'submitSignUp',
  summary: 'Creates an account, and sends a code if its address has to be confirmed.',
  answers: formAnswers,
  errors: [...formErrors, ...sendErrors, 'signupDisabled', 'weakPassword', 'emailAlreadyRegistered', 'overloaded'],
  handler: (app, request) => answerForm(app, request, (visit) => submitSignUp(visit, request.body)),
});

export const getUiRecover = defineEndpoint({
  ...pageEndpoint(showRecover),
  method: 'GET',
  path: '/ui/recover',
  query: flowQuery,
  id: 'showRecover',
  summary: 'The page for a forgotten password.',
  answers: pageAnswers,
  errors: ['pagesDisabled'],
  handler: (app, request) => answerPage(app, request, showRecover),
});

export const postUiRecover = defineEndpoint({
  ...pageEndpoint(showRecover),
  method: 'POST',
  path: '/ui/recover',
  form: true,
  limit: 'recover',
  captcha: true,
  body: fields('form_token', 'address'),
  query: flowQuery,
  id: 'submitRecover',
  summary: 'Mails a code with which a new password can be set.',
  answers: formAnswers,
  errors: [...formErrors, ...sendErrors, 'recoveryEmailRequired'],
  handler: (app, request) => answerForm(app, request, sendRecoveryCode),
});

export const getUiCode = defineEndpoint({
  ...pageEndpoint(showCode),
  method: 'GET',
  path: '/ui/code',
  query: flowQuery,
  id: 'showCode',
  summary: 'The page for a code that was sent.',
  answers: formAnswers,
  errors: ['pagesDisabled'],
  handler: (app, request) => answerPage(app, request, showCode),
});

export const postUiCode = defineEndpoint({
  ...pageEndpoint(showCode),
  method: 'POST',
  path: '/ui/code',
  form: true,
  limit: ({ body }) => (body.action === 'resend' ? 'resend' : 'verify'),
  captcha: ({ body }) => body.action === 'resend',
  body: fields('form_token', 'action', 'code'),
  query: flowQuery,
  id: 'submitCode',
  summary: 'Signs in with a code, or sends another one.',
  answers: formAnswers,
  errors: [...formErrors, ...sendErrors, 'codeInvalid', 'userBanned'],
  handler: (app, request) => answerForm(app, request, (visit) => submitCode(visit, request.body)),
});

export const getUiLink = defineEndpoint({
  ...pageEndpoint(showLink),
  method: 'GET',
  path: '/ui/link',
  limit: 'verify',
  query: {
    ...flowQuery,
    token: text('Token of the link.'),
    type: text('Type of the link.'),
    redirect_to: text('Where a link ends that belongs to no flow; must be allowed, else SITE_URL.'),
  },
  id: 'showLink',
  summary: 'Shows whose link it is; a button redeems it.',
  answers: pageAnswers,
  errors: ['pagesDisabled', 'linkInvalid', 'userBanned', 'verifyEmailType'],
  handler: (app, request) => answerPage(app, request, showLink),
});

export const postUiLink = defineEndpoint({
  ...pageEndpoint(showLink),
  method: 'POST',
  path: '/ui/link',
  form: true,
  limit: 'verify',
  body: fields('form_token', 'type', 'token'),
  query: flowQuery,
  id: 'submitLink',
  summary: 'Signs in with the link of a mail.',
  answers: formAnswers,
  errors: [...formErrors, 'linkInvalid', 'userBanned', 'verifyEmailType'],
  handler: (app, request) => answerForm(app, request, (visit) => submitLink(visit, request.body)),
});
