/** /ui/account/password: another password. */
import { html, type Markup } from '../../../html.js';
import { pageLink } from '../form.js';
import type { PageOutcome } from '../outcome.js';
import { newPasswordForm, type PasswordForm, sendPasswordForm } from '../password-form.js';
import type { Visit } from '../visit.js';
import { sectionPage } from './account-frame.js';
import { type AccountVisit, sectionLink, submitToAccount } from './account-visit.js';

export const passwordPage = sectionPage('password', showNewPassword);

async function showNewPassword(visit: AccountVisit): Promise<Markup> {
  const { words, caller } = visit;
  return html`<p>${words('password.text')}</p>
${await newPasswordForm(visit, caller, 'account/password')}
<p><a href="${pageLink(visit, 'recover')}">${words('sign_in.forgot')}</a></p>`;
}

/** @throws ApiError those of sendPasswordForm() */
export const submitNewPassword = (visit: Visit, sent: PasswordForm): Promise<PageOutcome> =>
  submitToAccount(visit, 'password', async (opened) => {
    const done = await sendPasswordForm(opened, opened.caller, sent);
    return { to: sectionLink(visit, 'password', done) };
  });
