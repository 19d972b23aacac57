import { showConsent, submitConsent } from '../pages/consent-page.js';
import { defineEndpoint } from './shared/define.js';
import { text } from './shared/docs.js';
import { fields } from './shared/fields.js';
import { answerForm } from './shared/page.js';
import { flowQuery, formEndpoint, formErrors, pageErrors, shownPage } from './shared/page-definition.js';

const decisionErrors = ['authorizationNotFound', 'authorizationNotOpen', 'authorizationDecided'] as const;

export const getUiConsent = defineEndpoint({
  ...shownPage(showConsent),
  path: '/ui/consent',
  query: {
    ...flowQuery,
    authorization_id: text('Id of the request, with which a flow begins.'),
    login_hint: text('Address to begin with.'),
    ui_locales: text('Languages.'),
  },
  id: 'showConsent',
  summary: 'The page that asks whether a client may do something.',
  errors: [...pageErrors, ...decisionErrors],
});

export const postUiConsent = defineEndpoint({
  ...formEndpoint(showConsent),
  path: '/ui/consent',
  body: fields('form_token', 'action'),
  id: 'submitConsent',
  summary: 'Approves or denies what a client asks.',
  errors: [...formErrors, ...decisionErrors, 'stepUpRequired'],
  handler: (app, request) => answerForm(app, request, (visit) => submitConsent(visit, request.body.action)),
});
