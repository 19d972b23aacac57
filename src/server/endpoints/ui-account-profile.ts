import { passwordPage, submitNewPassword } from '../pages/account/password-section.js';
import { profilePage } from '../pages/account/profile-section.js';
import { submitProfile } from '../pages/account/submit-profile.js';
import { defineEndpoint } from './shared/define.js';
import { sendErrors } from './shared/docs.js';
import { fields } from './shared/fields.js';
import { answerForm } from './shared/page.js';
import { accountErrors, accountFormErrors, accountQuery, formEndpoint, shownPage } from './shared/page-definition.js';

export const getUiAccountProfile = defineEndpoint({
  ...shownPage(profilePage),
  path: '/ui/account/profile',
  query: accountQuery,
  id: 'showAccountProfile',
  summary: 'Name, address and number of the account.',
  errors: accountErrors,
});

export const postUiAccountProfile = defineEndpoint({
  ...formEndpoint(profilePage),
  path: '/ui/account/profile',
  limit: ({ body }) => (body.action?.startsWith('confirm') ? 'verify' : 'user'),
  body: fields('form_token', 'action', 'name', 'email', 'phone', 'code'),
  id: 'submitAccountProfile',
  summary: 'Changes the name, or the address or number after its confirmation.',
  errors: [
    ...accountFormErrors,
    ...sendErrors,
    'emailExists',
    'phoneExists',
    'phoneInvalid',
    'contactMissing',
    'codeInvalid',
    'ssoUserManaged',
    'accessTokenTooLong',
  ],
  handler: (app, request) => answerForm(app, request, (visit) => submitProfile(visit, request.body)),
});

export const getUiAccountPassword = defineEndpoint({
  ...shownPage(passwordPage),
  path: '/ui/account/password',
  query: accountQuery,
  id: 'showAccountPassword',
  summary: 'The form for another password.',
  errors: accountErrors,
});

export const postUiAccountPassword = defineEndpoint({
  ...formEndpoint(passwordPage),
  path: '/ui/account/password',
  limit: 'user',
  body: fields('form_token', 'action', 'code', 'password', 'current_password'),
  id: 'submitAccountPassword',
  summary: 'Sets another password, or sends the code that it needs.',
  errors: [
    ...accountFormErrors,
    'weakPassword',
    'samePassword',
    'currentPasswordRequired',
    'currentPasswordInvalid',
    'signInThrottled',
    'reauthenticationNeeded',
    'reauthenticationNotValid',
    'overloaded',
  ],
  handler: (app, request) => answerForm(app, request, (visit) => submitNewPassword(visit, request.body)),
});
