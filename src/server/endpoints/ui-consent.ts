import { apiError } from '../errors.js';
import { readRefusal } from '../oauth/refusal-page.js';
import { showConsent, submitConsent } from '../pages/consent-page.js';
import { showFailure } from '../pages/error-page.js';
import { showRefused } from '../pages/refused-page.js';
import { showSignIn } from '../pages/sign-in-page.js';
import { defineEndpoint } from './shared/define.js';
import { text } from './shared/docs.js';
import { fields } from './shared/fields.js';
import { answerForm, answerPlainPage } from './shared/page.js';
import {
  flowQuery,
  formEndpoint,
  formErrors,
  pageAnswers,
  pageEndpoint,
  pageErrors,
  shownPage,
} from './shared/page-definition.js';

const decisionErrors = [
  ...(['authorizationNotFound', 'authorizationNotOpen', 'authorizationDecided', 'organizationChoiceMissing'] as const),
] as const;

export const getUiConsent = defineEndpoint({
  ...shownPage(showConsent),
  // It decides what has been remembered.
  changesOnGet: true,
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
  body: fields('form_token', 'action', 'organization_id'),
  id: 'submitConsent',
  summary: 'Approves or denies what a client asks.',
  errors: [...formErrors, ...decisionErrors],
  handler: (app, request) => answerForm(app, request, (visit) => submitConsent(visit, request.body)),
});

export const getUiRefused = defineEndpoint({
  ...pageEndpoint(showSignIn),
  method: 'GET',
  path: '/ui/refused',
  query: { to: text('Where the link leads.'), proof: text('That this server has made the link.') },
  id: 'showRefused',
  summary: 'Says that a request of a client cannot be fulfilled, and links back to it.',
  answers: { 400: { ...pageAnswers[200] } },
  errors: ['pagesDisabled', 'refusalNotFound'],
  handler(app, request) {
    const to = readRefusal(app, request.query);
    return answerPlainPage(app, request, (frame) =>
      to === null ? showFailure(frame, apiError('refusalNotFound'), request.id, 'sign-in') : showRefused(frame, to),
    );
  },
});
