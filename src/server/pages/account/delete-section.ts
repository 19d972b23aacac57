/** /ui/account/delete: the end of the account. */
import { html, type Markup } from '../../../html.js';
import { deleteOwnAccount } from '../../accounts/delete-account.js';
import { apiError } from '../../errors.js';
import { readSoleOwnerships } from '../../organizations/own-standing.js';
import { button, field, form } from '../form.js';
import type { PageOutcome } from '../outcome.js';
import { nameOfPerson } from '../person.js';
import type { Visit } from '../visit.js';
import { DANGER, sectionPage } from './account-frame.js';
import { type AccountVisit, placeLink, submitToAccount } from './account-visit.js';

export const deletePage = sectionPage('delete', showDelete);

async function showDelete(visit: AccountVisit): Promise<Markup> {
  const { app, words, caller } = visit;
  const owned = await readSoleOwnerships(app, caller);
  const kept = owned.filter(({ has_others: hasOthers }) => hasOthers);
  if (kept.length > 0) return html`<p>${words('delete.last_owner')}</p>${listOf(visit, kept)}`;
  return html`<p>${words('delete.text')}</p>
${owned.length > 0 && html`<p>${words('delete.organizations')}</p>${listOf(visit, owned)}`}
${deletionForm(visit)}`;
}

/** With the pages on which another member becomes an owner. */
const listOf = (visit: AccountVisit, organizations: Awaited<ReturnType<typeof readSoleOwnerships>>): Markup =>
  html`<ul>${organizations.map(({ id, name, has_others }) => html`<li><a href="${placeLink(visit, `organizations/${id}${has_others ? '/members' : ''}`)}"><bdi>${name}</bdi></a></li>`)}</ul>`;

function deletionForm(visit: AccountVisit): Markup {
  const { words, caller, error } = visit;
  const name = nameOfPerson(visit, caller.user);
  const attributes = { autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false', required: true } as const;
  const content = html`${field('name', words('delete.name', { name }), attributes, error !== null)}
${button(words('delete.submit'), '', DANGER)}`;
  return form(visit, 'account/delete', content);
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
