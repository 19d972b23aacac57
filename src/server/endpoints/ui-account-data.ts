import { deletePage, submitDelete } from '../pages/account/delete-section.js';
import { downloadPage, submitDownload } from '../pages/account/download-section.js';
import { defineEndpoint } from './shared/define.js';
import { fields } from './shared/fields.js';
import { answerForm } from './shared/page.js';
import {
  accountErrors,
  accountFormErrors,
  accountQuery,
  formAnswers,
  formEndpoint,
  shownPage,
} from './shared/page-definition.js';

export const getUiAccountDownload = defineEndpoint({
  ...shownPage(downloadPage),
  path: '/ui/account/download',
  query: accountQuery,
  id: 'showAccountDownload',
  summary: 'The page to download the own data.',
  errors: accountErrors,
});

export const postUiAccountDownload = defineEndpoint({
  ...formEndpoint(downloadPage),
  path: '/ui/account/download',
  limit: 'user',
  body: fields('form_token'),
  answers: {
    ...formAnswers,
    200: { description: 'The data, as a file.', contentType: 'application/json', body: { type: 'object' } },
  },
  id: 'downloadAccount',
  summary:
    'Returns the own data: account, sessions, passkeys, devices, applications, organizations and audit entries, without secrets.',
  errors: accountFormErrors,
  handler: (app, request) => answerForm(app, request, submitDownload),
});

export const getUiAccountDelete = defineEndpoint({
  ...shownPage(deletePage),
  path: '/ui/account/delete',
  query: accountQuery,
  id: 'showAccountDelete',
  summary: 'The page to delete the account, where AUTH_PAGES_ACCOUNT_DELETION_ENABLED is on.',
  errors: accountErrors,
});

export const postUiAccountDelete = defineEndpoint({
  ...formEndpoint(deletePage),
  path: '/ui/account/delete',
  limit: 'user',
  body: fields('form_token', 'name'),
  id: 'submitAccountDelete',
  summary: 'Deletes the account, after a sign-in or second factor of the last ten minutes.',
  errors: [
    ...accountFormErrors,
    'accountDeletionOff',
    'accountNameDiffers',
    'signInTooOld',
    'stepUpRequired',
    'lastOwner',
  ],
  handler: (app, request) => answerForm(app, request, (visit) => submitDelete(visit, request.body.name ?? '')),
});
