/** What the forms of /ui/account/organizations/{id}/scim do. */
import { html } from '../../../html.js';
import { assertMayChangeAccess } from '../../organizations/access-guard.js';
import { addToken, endToken, tokensOfOrganization } from '../../scim/scim-tokens.js';
import { frameSection } from '../account/account-frame.js';
import type { AccountVisit } from '../account/account-visit.js';
import type { View } from '../layout.js';
import type { PageOutcome } from '../outcome.js';
import type { Visit } from '../visit.js';
import { organizationLink } from './organization-place.js';
import { showBase } from './organization-scim-page.js';
import { submitToOrganization } from './organization-visit.js';

export interface ScimForm {
  readonly action?: string;
  readonly entry_id?: string;
  readonly name?: string;
  readonly expires_at?: string;
}

/** @throws ApiError those of scim/scim-tokens.ts */
export const submitScim = (visit: Visit, sent: ScimForm): Promise<PageOutcome> =>
  submitToOrganization(visit, 'scim', async (opened, id) => {
    const { app, caller, client } = opened;
    const { action, entry_id: tokenId = '', name, expires_at: day = '' } = sent;
    const manager = () => tokensOfOrganization(app, client.requestId, caller, id);
    switch (action) {
      case 'add': {
        const allowed = await manager();
        await assertMayChangeAccess(app, caller);
        // The whole day, wherever the person is: no later than its end in UTC.
        const expires_at = day === '' ? undefined : `${day}T23:59:59Z`;
        return { view: showNew(opened, id, await addToken(app, allowed, { name, expires_at })) };
      }
      case 'end':
        await endToken(app, await manager(), tokenId);
        return { to: organizationLink(visit, id, 'scim', 'removed') };
      default:
        return { to: organizationLink(visit, id, 'scim') };
    }
  });

/** The token leaves the server on this page, and never again. */
function showNew(visit: AccountVisit, organizationId: string, { name, token }: { name: string; token: string }): View {
  const { words } = visit;
  return frameSection(
    visit,
    html`<p>${words('scim.shown')}</p>
${showBase(visit)}
<p>${words('scim.token')}</p><p><code class="secret" dir="ltr">${token}</code></p>
<p><a class="button" href="${organizationLink(visit, organizationId, 'scim')}">${words('clients.kept')}</a></p>`,
    name || words('scim.unnamed'),
  );
}
