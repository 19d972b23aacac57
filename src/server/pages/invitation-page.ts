/** /ui/link with the link of an invitation to an organization. */
import { html } from '../../html.js';
import { declineByLink, findInvitationOfLink } from '../organizations/redeem-invitation.js';
import { button, form, hidden, PLAIN } from './form.js';
import type { View } from './layout.js';
import { namesOfRoles } from './organizations/organization-parts.js';
import type { PageOutcome } from './outcome.js';
import { nameOfPerson } from './person.js';
import type { Visit } from './visit.js';

/** Says who invites whom, without joining. @throws ApiError organizationsDisabled, linkInvalid, userBanned */
export async function showInvitation(visit: Visit, type: string, token: string): Promise<View> {
  const { app, words, accounts } = visit;
  const { email: address, name, roles } = await findInvitationOfLink(app, token);
  const title = words('invitation.title', { name });
  const [current] = accounts;
  const isOther = current !== undefined && current.email !== address;
  const fields = html`${hidden('address', address)}${hidden('type', type)}${hidden('token', token)}`;
  const main = html`<h1>${title}</h1>
<p>${words('invitation.text', { name, address, roles: namesOfRoles(visit, roles) })}</p>
${isOther && html`<p class="alert" role="note">${words('invitation.other_account', { current: nameOfPerson(visit, current), address })}</p>`}
${form(visit, 'link', html`${fields}${button(words('invitation.submit', { address }))}${button(words('invitation.decline'), 'decline', PLAIN)}`)}`;
  return { title, main };
}

/** @throws ApiError organizationsDisabled, linkInvalid, userBanned */
export async function submitDecline({ app, requestId, words }: Visit, token: string): Promise<PageOutcome> {
  await declineByLink(app, requestId, token);
  const title = words('invitation.declined_title');
  return { view: { title, main: html`<h1>${title}</h1><p>${words('invitation.declined')}</p>` } };
}
