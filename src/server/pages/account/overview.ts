/** /ui/account: who is signed in in this browser, and the parts of the account. */
import { html, type Markup } from '../../../html.js';
import { form, hidden, PLAIN, pageLink } from '../form.js';
import type { PageOutcome } from '../outcome.js';
import { otherAccountLink } from '../sign-in-links.js';
import { submitSignOut } from '../sign-out-page.js';
import type { Visit } from '../visit.js';
import { sectionPage } from './account-frame.js';
import { type AccountVisit, sectionLink, sectionsOf, sectionTitles, submitToAccount } from './account-visit.js';

export const overviewPage = sectionPage('', showOverview);

function showOverview(visit: AccountVisit): Markup {
  const { words, accounts } = visit;
  const parts = sectionsOf(visit).filter((section) => section !== '');
  return html`<ul class="parts">${parts.map((part) => html`<li><a href="${sectionLink(visit, part)}">${words(sectionTitles[part])}</a> <div class="muted">${words(`account.about_${part}`)}</div></li>`)}</ul>
<p>${accounts.length > 1 ? html`<a class="button plain" href="${pageLink(visit, 'sign-in')}">${words('account.switch')}</a>` : html`<a class="button plain" href="${otherAccountLink(visit)}">${words('chooser.other')}</a>`}</p>
${form(visit, 'account', html`${hidden('action', 'sign_out')}<button type="submit"${PLAIN}>${words('account.sign_out')}</button>`)}`;
}

/** Signs out of the account, in this browser. @throws ApiError those of submitSignOut() */
export const submitOverview = (visit: Visit): Promise<PageOutcome> =>
  submitToAccount(visit, '', (opened) => submitSignOut(opened, opened.account.session_id));
