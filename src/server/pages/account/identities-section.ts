/** /ui/account/identities: what the person signs in with. */
import type { IdentityRow } from '../../../db/user-rows.js';
import { html, type Markup } from '../../../html.js';
import { apiError } from '../../errors.js';
import { removeIdentity } from '../../external/unlink.js';
import { isCompanyProvider, readCompanyNames } from '../../saml/company-name.js';
import { assertAssurance } from '../../sessions/assurance.js';
import { requireLinkTarget } from '../../sessions/caller.js';
import { showHop } from '../continue.js';
import { form, hidden, PLAIN } from '../form.js';
import type { PageOf, PageOutcome } from '../outcome.js';
import { beginAtProvider, nameOfProvider } from '../provider-links.js';
import { showSignIn } from '../sign-in-page.js';
import type { Visit } from '../visit.js';
import { sectionPage } from './account-frame.js';
import { type AccountVisit, comeBack, sectionLink, submitToAccount } from './account-visit.js';
import { ageOf } from './age.js';

export const identitiesPage = sectionPage('identities', showIdentities);

const PATH = 'account/identities';

/** The page that says why a provider has refused: it follows a sign-in, or a link that was begun here. */
export const returnPage: PageOf = (visit) =>
  visit.flow.kind === 'manage' && visit.flow.subject === 'identities' ? identitiesPage(visit) : showSignIn(visit);

async function showIdentities(visit: AccountVisit): Promise<Markup> {
  const { app, words, caller } = visit;
  const { identities } = caller.user;
  const providers = identities.map(({ provider }) => provider);
  const companies = await readCompanyNames(app, providers);
  const { securityManualLinkingEnabled: mayUnlink } = app.config;
  const mayLink = mayUnlink && !caller.user.is_sso_user;
  const others = Object.entries(app.providers.switches)
    .filter(([name, isOn]) => isOn && !providers.includes(name))
    .map(([name]) => name);
  return html`<p>${words('identities.text')}</p>
<ul class="plain">${identities.map((one) => showIdentity(visit, one, nameIdentity(visit, one, companies), mayUnlink && identities.length > 1))}</ul>
${mayLink && html`<div class="stack">${others.map((name) => linkForm(visit, name))}</div>`}`;
}

/** @param companies names by provider; one that is gone has none */
function nameIdentity({ words }: AccountVisit, { provider }: IdentityRow, companies: Readonly<Record<string, string>>) {
  if (provider === 'email' || provider === 'phone') return words(`identities.${provider}`);
  return isCompanyProvider(provider) ? (companies[provider] ?? words('identities.company')) : nameOfProvider(provider);
}

function showIdentity(visit: AccountVisit, identity: IdentityRow, name: string, mayUnlink: boolean): Markup {
  const { words, language, caller } = visit;
  const { id, provider, email, created_at } = identity;
  const number = provider === 'phone' && caller.user.phone !== null ? `+${caller.user.phone}` : null;
  // Two wallets have the same name. The id ends with the address.
  const wallet = provider === 'web3' ? identity.provider_id.split(':').at(-1)! : null;
  const address = email ?? number ?? wallet;
  return html`<li class="row">
<div><strong>${name}</strong>
<div class="muted">${address !== null && html`<bdi>${address}</bdi> · `}${words('passkeys.added')} ${ageOf(language, created_at)}</div></div>
${
  mayUnlink &&
  form(
    visit,
    PATH,
    html`${hidden('action', 'unlink')}${hidden('entry_id', id)}
<button type="submit" class="link" aria-label="${words('identities.unlink_named', { name })}">${words('identities.unlink')}</button>`,
  )
}
</li>`;
}

const linkForm = (visit: AccountVisit, provider: string): Markup =>
  form(
    visit,
    PATH,
    html`${hidden('action', 'link')}${hidden('provider', provider)}<button type="submit"${PLAIN}>${visit.words('identities.link', { provider: nameOfProvider(provider) })}</button>`,
  );

export interface IdentitiesForm {
  readonly action?: string;
  readonly entry_id?: string;
  readonly provider?: string;
}

/** A form and no link: another site must not begin to link its own account. @throws ApiError those of the rules of external/ */
export const submitIdentities = (
  visit: Visit,
  { action, entry_id = '', provider = '' }: IdentitiesForm,
): Promise<PageOutcome> =>
  submitToAccount(visit, 'identities', async (opened) => {
    const { app, client, caller } = opened;
    if (!app.config.securityManualLinkingEnabled) throw apiError('manualLinkingDisabled');
    if (action === 'unlink') {
      await removeIdentity(app, client, caller, entry_id);
      return { to: sectionLink(visit, 'identities', 'removed') };
    }
    const linkTo = requireLinkTarget(caller);
    await assertAssurance(app, caller, 'aalForAccess');
    await comeBack(opened, 'identities');
    return { view: showHop(visit, await beginAtProvider(visit, provider, linkTo)) };
  });
