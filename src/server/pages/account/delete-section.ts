/** /ui/account/delete: the end of the account. */
import { html, type Markup } from '../../../html.js';
import { deleteOwnAccount } from '../../accounts/delete-account.js';
import { apiError } from '../../errors.js';
import { button, field, form } from '../form.js';
import type { PageOutcome } from '../outcome.js';
import { nameOfPerson } from '../person.js';
import type { Visit } from '../visit.js';
import { DANGER, sectionPage } from './account-frame.js';
import { type AccountVisit, submitToAccount } from './account-visit.js';

export const deletePage = sectionPage('delete', showDelete);

function showDelete(visit: AccountVisit): Markup {
  const { words, caller, error } = visit;
  const name = nameOfPerson(visit, caller.user);
  const attributes = { autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false', required: true } as const;
  const content = html`${field('name', words('delete.name', { name }), attributes, error !== null)}
${button(words('delete.submit'), '', DANGER)}`;
  return html`<p>${words('delete.text')}</p>${form(visit, 'account/delete', content)}`;
}

/** @param typed the name of the account, so that it is the right one. @throws ApiError accountNameDiffers, and those of deleteOwnAccount() */
export const submitDelete = (visit: Visit, typed: string): Promise<PageOutcome> =>
  submitToAccount(visit, 'delete', async (opened) => {
    const { app, client, caller, up } = opened;
    const name = nameOfPerson(opened, caller.user);
    if (typed.trim().toLowerCase() !== name.toLowerCase()) throw apiError('accountNameDiffers');
    await deleteOwnAccount(app, client, caller);
    return { to: `${up}signed-out` };
  });
