/** How a member leaves an organization, on its page. */
import { html, type Markup } from '../../../html.js';
import { isLastOwner } from '../../organizations/own-standing.js';
import { DANGER } from '../account/account-frame.js';
import { attributesOf, button, form, hidden } from '../form.js';
import { isRefused } from './organization-parts.js';
import { type OrganizationVisit, organizationPath } from './organization-place.js';

/** What is folded up until it is wanted. */
export const folded = (summary: string, isOpen: boolean, content: Markup): Markup =>
  html`<details${isOpen && attributesOf({ open: true })}><summary>${summary}</summary>
${content}
</details>`;

/** To the only owner, why that is not possible. */
export async function showLeaving(visit: OrganizationVisit): Promise<Markup> {
  const { app, words, caller, own } = visit;
  if (await isLastOwner(app, caller, own.organization)) {
    return html`<p class="muted">${words('organizations.leave_last')}</p>`;
  }
  const content = html`<p>${words('organizations.leave_text')}</p>${hidden('action', 'leave')}${button(words('organizations.leave'), '', DANGER)}`;
  const isOpen = isRefused(visit, 'leave');
  return folded(words('organizations.leave'), isOpen, form(visit, organizationPath(visit, ''), content));
}
