/** /ui/account/organizations: the organizations of the person, and which one is active in this browser. */
import { randomUUID } from 'node:crypto';
import type { MembershipRow } from '../../../db/organizations.js';
import { readUuid } from '../../../db/uuid.js';
import { html, type Markup } from '../../../html.js';
import { ApiError } from '../../errors.js';
import { chooseActive } from '../../organizations/choose-active.js';
import { assertMayCreateOrganization, createOrganizationOnce } from '../../organizations/create-organization.js';
import { readMembershipPage } from '../../organizations/list-organizations.js';
import { isAllowed, isPolicyError } from '../../organizations/rules.js';
import { sectionPage } from '../account/account-frame.js';
import { type AccountVisit, sectionLink, sectionsOf, submitToAccount } from '../account/account-visit.js';
import { attributesOf, button, form, hidden } from '../form.js';
import type { PageOutcome } from '../outcome.js';
import type { Visit } from '../visit.js';
import {
  cursorQueryOf,
  isRefused,
  moreLink,
  namesOfRoles,
  organizationFields,
  switchForm,
} from './organization-parts.js';
import { organizationLink } from './organization-place.js';

export const organizationsPage = sectionPage('organizations', showOrganizations);

async function showOrganizations(visit: AccountVisit): Promise<Markup> {
  const { app, words, caller } = visit;
  const { rows, next_cursor } = await readMembershipPage(
    app.db,
    caller.user.id,
    caller.sessionId,
    cursorQueryOf(visit),
  );
  const list =
    rows.length === 0
      ? html`<p>${words('organizations.none')}</p>`
      : html`<p>${words('organizations.text')}</p>
<ul class="plain">${rows.map((row) => showMembership(visit, row))}</ul>
${moreLink(visit, sectionLink(visit, 'organizations'), next_cursor)}`;
  const mayBeInvited = sectionsOf(visit).includes('invitations');
  return html`${list}
${mayBeInvited && html`<p><a href="${sectionLink(visit, 'invitations')}">${words('account.invitations')}</a></p>`}
${isAllowed(() => assertMayCreateOrganization(app, caller)) && creationForm(visit, rows.length === 0)}`;
}

const showMembership = (visit: AccountVisit, { id, name, slug, roles, is_active }: MembershipRow): Markup =>
  html`<li class="row">
<div><strong><a href="${organizationLink(visit, id)}"><bdi>${name}</bdi></a></strong>${is_active && html` <span class="tag">${visit.words('organizations.active')}</span>`}
<div class="muted"><bdi dir="ltr">${slug}</bdi> · ${namesOfRoles(visit, roles)}</div></div>
${switchForm(visit, id, name, is_active)}
</li>`;

function creationForm(visit: AccountVisit, isFirst: boolean): Markup {
  const { words } = visit;
  const isOpen = isFirst || isRefused(visit, 'create');
  // The id of the new one: the form sent twice makes one.
  const content = html`${hidden('entry_id', randomUUID())}${organizationFields(visit, 'create', null)}${button(words('organizations.create'), 'create')}`;
  return html`<details${isOpen && attributesOf({ open: true })}><summary>${words('organizations.create')}</summary>
${form(visit, 'account/organizations', content)}
</details>`;
}

export interface OrganizationsForm {
  readonly action?: string;
  readonly entry_id?: string;
  readonly name?: string;
  readonly slug?: string;
}

/** @throws ApiError those of createOrganizationOnce() and chooseActive() */
export const submitOrganizations = (visit: Visit, sent: OrganizationsForm): Promise<PageOutcome> =>
  submitToAccount(visit, 'organizations', async ({ app, client, caller }) => {
    if (sent.action === 'create') {
      const slug = sent.slug?.trim() || undefined;
      const given = { name: sent.name ?? '', slug };
      const wanted = readUuid(sent.entry_id ?? '') ?? randomUUID();
      const { id } = await createOrganizationOnce(app, client.requestId, caller, given, wanted);
      return { to: organizationLink(visit, id, '', 'added') };
    }
    if (sent.action !== 'switch') return { to: sectionLink(visit, 'organizations') };
    const id = sent.entry_id ?? '';
    return chooseActive(app, caller, id).then(
      () => ({ to: sectionLink(visit, 'organizations', 'switched') }),
      (error: unknown) => {
        // The page of the organization says what helps.
        if (error instanceof ApiError && isPolicyError(error.entry)) return { to: organizationLink(visit, id) };
        throw error;
      },
    );
  });
