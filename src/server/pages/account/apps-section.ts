/** /ui/account/apps: what the person has allowed to applications. */
import { html, type Markup } from '../../../html.js';
import { listGrants, revokeGrant } from '../../oauth/grants.js';
import { scopeText } from '../consent-parts.js';
import { form, hidden } from '../form.js';
import type { PageOutcome } from '../outcome.js';
import type { Visit } from '../visit.js';
import { sectionPage } from './account-frame.js';
import { type AccountVisit, sectionLink, submitToAccount } from './account-visit.js';
import { ageOf } from './age.js';

export const appsPage = sectionPage('apps', showApps);

type Grant = Awaited<ReturnType<typeof listGrants>>[number];

async function showApps(visit: AccountVisit): Promise<Markup> {
  const { app, words, caller } = visit;
  const grants = await listGrants(app, caller.user.id);
  if (grants.length === 0) return html`<p>${words('apps.none')}</p>`;
  return html`<p>${words('apps.text')}</p><ul class="plain">${grants.map((grant) => showGrant(visit, grant))}</ul>`;
}

function showGrant(visit: AccountVisit, { client, scopes, granted_at }: Grant): Markup {
  const { words, language } = visit;
  const name = client.name || client.id;
  return html`<li>
<div class="row"><div><h2>${name}</h2>
<div class="muted">${words('apps.since')} ${ageOf(language, granted_at)}</div></div>
${form(
  visit,
  'account/apps',
  html`${hidden('entry_id', client.id)}<button type="submit" class="link" aria-label="${words('apps.revoke', { name })}">${words('apps.revoke_short')}</button>`,
)}</div>
<ul>${scopes.map((scope) => html`<li>${scopeText(visit, scope)}</li>`)}</ul>
</li>`;
}

/** @throws ApiError clientIdNotUuid */
export const submitApps = (visit: Visit, clientId: string): Promise<PageOutcome> =>
  submitToAccount(visit, 'apps', async ({ app, client, caller }) => {
    await revokeGrant(app, client.requestId, caller.user, clientId);
    return { to: sectionLink(visit, 'apps', 'revoked') };
  });
