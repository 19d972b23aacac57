/** What the definitions of pages have in common. */

import { type ApiError, apiError } from '../../errors.js';
import type { ApiRequest } from '../../http/types.js';
import type { PageOf } from '../../pages/outcome.js';
import type { App } from '../../runtime/app.js';
import { text } from './docs.js';
import { answerError, answerPage } from './page.js';

export const flowQuery = { flow: text('Id of the flow, which the first page gives out.') } as const;

/** Parameters of the account page. */
export const accountQuery = {
  ...flowQuery,
  redirect_to: text('Where the page leads back to; must be allowed, else SITE_URL.'),
  login_hint: text('Address to sign in with.'),
  ui_locales: text('Languages.'),
  done: text('What a form has done, for the page to say.'),
} as const;

export const pageAnswers = {
  200: { description: 'The page.', contentType: 'text/html', body: { type: 'string' } },
} as const;
export const formAnswers = {
  ...pageAnswers,
  303: { description: 'To the next page.', headers: { Location: 'Relative to this page.' } },
} as const;

/** API errors of every page. */
export const pageErrors = ['pagesDisabled'] as const;
/** API errors of every form. */
export const formErrors = ['pagesDisabled', 'formFromElsewhere', 'formOutdated'] as const;

const sessionErrors = ['subjectNotFound', 'sessionNotFound', 'userBanned'] as const;
/** API errors of the pages of an account. */
export const accountErrors = [...pageErrors, ...sessionErrors] as const;
/** API errors of their forms. */
export const accountFormErrors = [...formErrors, ...sessionErrors] as const;

/** What all pages have in common. @param page that also shows the errors of its form */
export const pageEndpoint = (show: PageOf) =>
  ({
    caller: 'none',
    tag: 'Pages',
    assertOn: assertPagesOn,
    errorPage: (app: App, request: ApiRequest, error: ApiError) => answerError(app, request, error, show),
  }) as const;

/** A page of a flow. */
export const shownPage = (show: PageOf) =>
  ({
    ...pageEndpoint(show),
    method: 'GET',
    query: flowQuery,
    answers: formAnswers,
    errors: pageErrors,
    handler: (app: App, request: ApiRequest) => answerPage(app, request, show),
  }) as const;

/** A form of a page. */
export const formEndpoint = (show: PageOf) =>
  ({ ...pageEndpoint(show), method: 'POST', form: true, query: flowQuery, answers: formAnswers }) as const;

/** @throws ApiError pagesDisabled */
export function assertPagesOn({ pages }: Pick<App, 'pages'>): void {
  if (pages === null) throw apiError('pagesDisabled');
}
