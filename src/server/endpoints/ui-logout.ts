import { showLogout, submitLogout } from '../pages/client-logout-page.js';
import { defineEndpoint } from './shared/define.js';
import { text } from './shared/docs.js';
import { fields } from './shared/fields.js';
import { answerForm } from './shared/page.js';
import { flowQuery, formEndpoint, formErrors, pageErrors, shownPage } from './shared/page-definition.js';

const requestErrors = ['logoutClientMissing', 'authorizeClientInvalid', 'logoutRedirectInvalid'] as const;

export const getUiLogout = defineEndpoint({
  ...shownPage(showLogout),
  path: '/ui/logout',
  query: {
    ...flowQuery,
    client_id: text('Id of the client.'),
    post_logout_redirect_uri: text('Where to go on.'),
    state: text('Comes back to the client.'),
    done: text('true: the session has ended.'),
  },
  id: 'showLogout',
  summary: 'The page that asks whether to sign out of a client.',
  errors: [...pageErrors, ...requestErrors],
});

export const postUiLogout = defineEndpoint({
  ...formEndpoint(showLogout),
  path: '/ui/logout',
  body: fields('form_token', 'action', 'client_id', 'post_logout_redirect_uri', 'state'),
  id: 'submitLogout',
  summary: 'Signs out of a client.',
  errors: [...formErrors, ...requestErrors],
  handler: (app, request) => answerForm(app, request, (visit) => submitLogout(visit, request.body.action)),
});
