import { appsPage, submitApps } from '../pages/account/apps-section.js';
import { overviewPage, submitOverview } from '../pages/account/overview.js';
import { sessionsPage, submitSessions } from '../pages/account/sessions-section.js';
import { defineEndpoint } from './shared/define.js';
import { fields } from './shared/fields.js';
import { answerForm } from './shared/page.js';
import { accountErrors, accountFormErrors, accountQuery, formEndpoint, shownPage } from './shared/page-definition.js';

export const getUiAccount = defineEndpoint({
  ...shownPage(overviewPage),
  path: '/ui/account',
  query: accountQuery,
  id: 'showAccount',
  summary: 'The page on which people manage their account.',
  errors: accountErrors,
});

export const postUiAccount = defineEndpoint({
  ...formEndpoint(overviewPage),
  path: '/ui/account',
  body: fields('form_token', 'action'),
  id: 'submitAccount',
  summary: 'Signs out of the account, in this browser.',
  errors: accountFormErrors,
  handler: (app, request) => answerForm(app, request, submitOverview),
});

export const getUiAccountSessions = defineEndpoint({
  ...shownPage(sessionsPage),
  path: '/ui/account/sessions',
  query: accountQuery,
  id: 'showAccountSessions',
  summary: 'The sessions of the account.',
  errors: accountErrors,
});

export const postUiAccountSessions = defineEndpoint({
  ...formEndpoint(sessionsPage),
  path: '/ui/account/sessions',
  limit: 'user',
  body: fields('form_token', 'action', 'entry_id'),
  id: 'submitAccountSessions',
  summary: 'Ends a session, or all others.',
  errors: accountFormErrors,
  handler: (app, request) => answerForm(app, request, (visit) => submitSessions(visit, request.body)),
});

export const getUiAccountApps = defineEndpoint({
  ...shownPage(appsPage),
  path: '/ui/account/apps',
  query: accountQuery,
  id: 'showAccountApps',
  summary: 'The applications that the person has allowed something.',
  errors: accountErrors,
});

export const postUiAccountApps = defineEndpoint({
  ...formEndpoint(appsPage),
  path: '/ui/account/apps',
  limit: 'user',
  body: fields('form_token', 'entry_id'),
  id: 'submitAccountApps',
  summary: 'Takes back what an application was allowed, and ends its sessions.',
  errors: [...accountFormErrors, 'clientIdNotUuid'],
  handler: (app, request) => answerForm(app, request, (visit) => submitApps(visit, request.body.entry_id ?? '')),
});
