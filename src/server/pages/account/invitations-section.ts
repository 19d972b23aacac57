/** /ui/account/invitations: organizations that have invited the person. */
import { html, type Markup } from '../../../html.js';
import { ApiError } from '../../errors.js';
import {
  acceptInvitation,
  declineInvitation,
  listOwnInvitations,
  provenAddressOf,
} from '../../organizations/answer-invitation.js';
import { button, form, hidden, PLAIN } from '../form.js';
import { namesOfRoles } from '../organizations/organization-parts.js';
import type { PageOutcome } from '../outcome.js';
import { otherAccountLink } from '../sign-in-links.js';
import type { Visit } from '../visit.js';
import { sectionPage } from './account-frame.js';
import { type AccountVisit, sectionLink, submitToAccount } from './account-visit.js';
import { ageOf } from './age.js';

export const invitationsPage = sectionPage('invitations', showInvitations);

type Invitation = Awaited<ReturnType<typeof listOwnInvitations>>['invitations'][number];

/** As many as one page of the list; when they are answered, the others follow. */
async function showInvitations(visit: AccountVisit): Promise<Markup> {
  const { app, words, caller, query } = visit;
  const address = provenAddressOf(caller);
  if (!address) return html`<p>${words('own_invitations.unconfirmed')}</p>${otherAccount(visit)}`;
  const { invitations } = await listOwnInvitations(app, caller, new Map());
  // The application leads here with the one that the person has heard of.
  const wanted = query.get('invitation');
  const isAbsent = wanted !== undefined && !invitations.some(({ id }) => id === wanted.toLowerCase());
  const absent = isAbsent && html`<p class="alert" role="note">${words('own_invitations.other', { address })}</p>`;
  if (invitations.length === 0) {
    return html`${absent || html`<p>${words('own_invitations.none', { address })}</p>`}${otherAccount(visit)}`;
  }
  return html`${absent}<p>${words('own_invitations.text', { address })}</p>
<ul class="plain">${invitations.map((one) => showOne(visit, one))}</ul>
${otherAccount(visit)}`;
}

const otherAccount = (visit: AccountVisit): Markup =>
  html`<p><a href="${otherAccountLink(visit)}">${visit.words('chooser.other')}</a></p>`;

function showOne(visit: AccountVisit, { id, organization: { name }, roles, created_at }: Invitation): Markup {
  const { words, language } = visit;
  const label = (text: string) => html` aria-label="${text}"`;
  const accept = button(
    words('own_invitations.accept_short'),
    'accept',
    label(words('own_invitations.accept', { name })),
  );
  const decline = button(
    words('own_invitations.decline_short'),
    'decline',
    html`${PLAIN}${label(words('own_invitations.decline', { name }))}`,
  );
  return html`<li>
<h2>${name}</h2>
<div class="muted">${namesOfRoles(visit, roles)} · ${words('invitations.since')} ${ageOf(language, created_at)}</div>
${form(visit, 'account/invitations', html`${hidden('entry_id', id)}<div class="row">${accept}${decline}</div>`)}
</li>`;
}

export interface InvitationAnswer {
  readonly action?: string;
  readonly entry_id?: string;
}

/**
 * @throws ApiError invitationForOtherAddress, alreadyAMember, tooManyMembers, tooManyOrganizations, and those of
 *   openAccount()
 */
export const submitOwnInvitations = (
  visit: Visit,
  { action, entry_id: id = '' }: InvitationAnswer,
): Promise<PageOutcome> =>
  submitToAccount(visit, 'invitations', async ({ app, requestId, caller }) => {
    if (action !== 'accept') {
      await declineInvitation(app, requestId, caller, id);
      return { to: sectionLink(visit, 'invitations', 'declined') };
    }
    const done = await acceptInvitation(app, requestId, caller, id).then(
      () => 'joined' as const,
      (error: unknown) => {
        if (error instanceof ApiError && error.entry === 'invitationNotFound') return 'over' as const;
        throw error;
      },
    );
    return { to: sectionLink(visit, 'invitations', done) };
  });
