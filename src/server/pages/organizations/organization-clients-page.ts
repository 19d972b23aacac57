/** /ui/account/organizations/{id}/clients: programs that act for the organization, by keys of their own. */
import type { OauthClientRow } from '../../../db/oauth-clients.js';
import { html, type Markup } from '../../../html.js';
import { MACHINE_GRANT } from '../../oauth/client-fields.js';
import { hasSecret } from '../../oauth/write-client.js';
import { DEFAULT_ROLES } from '../../organizations/change-members.js';
import { readClientRows } from '../../organizations/organization-clients.js';
import { ageOf } from '../account/age.js';
import { clientName } from '../consent-parts.js';
import { attributesOf, button, field, form, hidden, PLAIN } from '../form.js';
import { isRaised, raiseForm } from './organization-guard.js';
import { folded } from './organization-leave.js';
import { cursorQueryOf, isRefused, moreLink, namesOfRoles, roleBoxes } from './organization-parts.js';
import { type OrganizationVisit, organizationLink, organizationPath } from './organization-place.js';
import { makeOrganizationPage } from './organization-visit.js';

export const organizationClientsPage = makeOrganizationPage('clients', showClients);

async function showClients(visit: OrganizationVisit): Promise<Markup> {
  const { app, words, own, caller, client } = visit;
  const { id } = own.organization;
  const request = { requestId: client.requestId, caller, pathId: id };
  const { rows, next_cursor } = await readClientRows(app, request, cursorQueryOf(visit));
  const mayChange = await isRaised(visit);
  const list =
    rows.length === 0
      ? html`<p>${words('clients.none')}</p>`
      : html`<ul class="plain">${rows.map((row) => showClient(visit, row, mayChange))}</ul>`;
  return html`<p>${words('clients.text')}</p>
${list}
${moreLink(visit, organizationLink(visit, id, 'clients'), next_cursor)}
${mayChange ? additionForm(visit, rows.length === 0) : raiseForm(visit)}`;
}

/** Where such clients get tokens. */
function additionForm(visit: OrganizationVisit, isFirst: boolean): Markup {
  const { app, words } = visit;
  if (!app.config.oauthServerClientCredentialsEnabled) return html`<p>${words('clients.off')}</p>`;
  const isSent = isRefused(visit, 'add');
  const content = html`${clientFields(visit, 'name', isSent, { name: '', roles: DEFAULT_ROLES })}${button(words('clients.add'), 'add')}`;
  return folded(words('clients.add'), isFirst || isSent, form(visit, organizationPath(visit, 'clients'), content));
}

/** @param fieldId of the name, once on the page. @param given what they are, where the form was not sent */
function clientFields(
  visit: OrganizationVisit,
  fieldId: string,
  isSent: boolean,
  given: { readonly name: string; readonly roles: readonly string[] },
): Markup {
  const { words, own, error, form: sent, request } = visit;
  const name = field(
    'client_name',
    words('profile.name'),
    {
      id: fieldId,
      autocomplete: 'off',
      required: true,
      maxlength: '80',
      value: isSent ? (sent.get('client_name') ?? '') : given.name,
    },
    isSent && error?.entry === 'clientMetadataInvalid',
  );
  const offered = [...new Set([...own.rolesToGive('clients:manage'), ...given.roles])];
  const checked = isSent ? request.allValues('roles') : given.roles;
  const isRoleWrong =
    isSent && (error?.entry === 'roleNotFound' || error?.errorCode === 'organization_permission_missing');
  return html`${name}${roleBoxes(visit, offered, checked, isRoleWrong)}`;
}

function showClient(visit: OrganizationVisit, row: OauthClientRow, mayChange: boolean): Markup {
  const { words, language } = visit;
  const isMachine = row.grant_types.includes(MACHINE_GRANT);
  const name = clientName(row);
  const forms = clientForms(visit, row, mayChange);
  const isOpen = (['change', 'renew', 'remove'] as const).some((action) =>
    isRefused(visit, action, 'entry_id', row.id),
  );
  return html`<li>
<strong><bdi>${name}</bdi></strong> <span class="tag">${words(isMachine ? 'clients.machine' : 'clients.app')}</span>
<div class="muted">${row.org_roles.length > 0 && html`${namesOfRoles(visit, row.org_roles)} · `}${words('passkeys.added')} ${ageOf(language, row.created_at)}</div>
<div class="muted">${words('clients.id')}: <code dir="ltr">${row.id}</code></div>
${forms.length > 0 && folded(words('passkeys.manage', { name }), isOpen, html`${forms}`)}
</li>`;
}

/** What the rules permit with this client. */
function clientForms(visit: OrganizationVisit, row: OauthClientRow, mayChange: boolean): readonly Markup[] {
  const { words, own } = visit;
  const entry = hidden('entry_id', row.id);
  const one = (content: Markup) => form(visit, organizationPath(visit, 'clients'), html`${entry}${content}`);
  const label = attributesOf({
    class: 'danger',
    'aria-label': words('factors.remove_named', { name: clientName(row) }),
  });
  const mayManage = mayChange && own.mayManageClient(row.org_roles);
  return [
    mayManage &&
      one(
        html`${clientFields(visit, `name-${row.id}`, isRefused(visit, 'change', 'entry_id', row.id), { name: row.name, roles: row.org_roles })}${button(words('policies.save'), 'change', PLAIN)}`,
      ),
    mayManage &&
      hasSecret(row) &&
      one(html`<p>${words('clients.renew_text')}</p>${button(words('clients.renew'), 'renew', PLAIN)}`),
    own.mayEndClient(row.org_roles) && one(button(words('passkeys.remove'), 'remove', label)),
  ].filter((part) => part !== false);
}
