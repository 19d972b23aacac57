import { showCode, submitCode } from '../pages/code-page.js';
import { orAtCompany } from '../pages/company.js';
import { showLink, submitLink } from '../pages/link-page.js';
import { showRecover } from '../pages/recover-page.js';
import { sendRecoveryCode } from '../pages/sent-code.js';
import { showSignUp, submitSignUp } from '../pages/sign-up-page.js';
import { defineEndpoint } from './shared/define.js';
import { sendErrors, text } from './shared/docs.js';
import { fields } from './shared/fields.js';
import { answerForm } from './shared/page.js';
import { flowQuery, formEndpoint, formErrors, shownPage } from './shared/page-definition.js';

export const getUiSignUp = defineEndpoint({
  ...shownPage(showSignUp),
  path: '/ui/sign-up',
  id: 'showSignUp',
  summary: 'The page to create an account.',
});

export const postUiSignUp = defineEndpoint({
  ...formEndpoint(showSignUp),
  path: '/ui/sign-up',
  limit: 'signup',
  captcha: true,
  body: fields('form_token', 'address', 'password', 'website'),
  id: 'submitSignUp',
  summary: 'Creates an account, and sends a code if its address has to be confirmed.',
  errors: [...formErrors, ...sendErrors, 'signupDisabled', 'weakPassword', 'emailAlreadyRegistered', 'overloaded'],
  handler: (app, request) => answerForm(app, request, (visit) => orAtCompany(visit, submitSignUp(visit, request.body))),
});

export const getUiRecover = defineEndpoint({
  ...shownPage(showRecover),
  path: '/ui/recover',
  id: 'showRecover',
  summary: 'The page for a forgotten password.',
});

export const postUiRecover = defineEndpoint({
  ...formEndpoint(showRecover),
  path: '/ui/recover',
  limit: 'recover',
  captcha: true,
  body: fields('form_token', 'address'),
  id: 'submitRecover',
  summary: 'Mails a code with which a new password can be set.',
  errors: [...formErrors, ...sendErrors, 'recoveryEmailRequired'],
  handler: (app, request) => answerForm(app, request, (visit) => orAtCompany(visit, sendRecoveryCode(visit))),
});

export const getUiCode = defineEndpoint({
  ...shownPage(showCode),
  path: '/ui/code',
  id: 'showCode',
  summary: 'The page for a code that was sent.',
});

export const postUiCode = defineEndpoint({
  ...formEndpoint(showCode),
  path: '/ui/code',
  limit: ({ body }) => (body.action === 'resend' ? 'resend' : 'verify'),
  captcha: ({ body }) => body.action === 'resend',
  body: fields('form_token', 'action', 'code'),
  id: 'submitCode',
  summary: 'Signs in with a code, or sends another one.',
  errors: [...formErrors, ...sendErrors, 'codeInvalid', 'userBanned'],
  handler: (app, request) => answerForm(app, request, (visit) => orAtCompany(visit, submitCode(visit, request.body))),
});

const linkErrors = ['linkInvalid', 'userBanned', 'verifyEmailType', 'organizationsDisabled'] as const;

export const getUiLink = defineEndpoint({
  ...shownPage(showLink),
  path: '/ui/link',
  limit: 'verify',
  isMailed: true,
  query: {
    ...flowQuery,
    token: text('Token of the link.'),
    type: text('Type of the link.'),
    redirect_to: text('Where a link ends that belongs to no flow; must be allowed, else SITE_URL.'),
  },
  id: 'showLink',
  summary: 'Shows whose link it is; a button redeems it.',
  errors: ['pagesDisabled', ...linkErrors],
});

export const postUiLink = defineEndpoint({
  ...formEndpoint(showLink),
  path: '/ui/link',
  limit: 'verify',
  body: fields('form_token', 'type', 'token', 'action'),
  id: 'submitLink',
  summary: 'Signs in with the link of a mail; or declines its invitation.',
  errors: [...formErrors, ...linkErrors, 'alreadyAMember', 'tooManyMembers', 'tooManyOrganizations'],
  handler: (app, request) => answerForm(app, request, (visit) => orAtCompany(visit, submitLink(visit, request.body))),
});
