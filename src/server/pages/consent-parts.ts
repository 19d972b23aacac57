/** What the pages share on which a person decides for an application: /ui/consent and /ui/device. */
import type { OpenedAuthorization } from '../../db/oauth-authorizations.js';
import { noteFactorWanted, type PageFlowKind } from '../../db/pages.js';
import { html, type Markup } from '../../html.js';
import { ApiError } from '../errors.js';
import { clientIdOf } from '../oauth/client-id.js';
import type { OrganizationChoice } from '../oauth/organization-choice.js';
import { ORGANIZATION_SCOPE, ownScopes } from '../oauth/scopes.js';
import type { UserCaller } from '../sessions/caller.js';
import { accountOf, callerOf } from './browser.js';
import { findMissingStep, UNFINISHED } from './continue.js';
import type { TextKey } from './contract.js';
import { button, form, PLAIN, pageLink, UNCHECKED } from './form.js';
import type { View } from './layout.js';
import type { PageOutcome } from './outcome.js';
import { nameOfPerson } from './person.js';
import { otherAccountLink } from './sign-in-links.js';
import type { Visit } from './visit.js';

const scopeTexts: Readonly<Record<string, TextKey>> = {
  openid: 'consent.scope_openid',
  profile: 'consent.scope_profile',
  email: 'consent.scope_email',
  phone: 'consent.scope_phone',
  offline_access: 'consent.scope_offline_access',
};

/** The person who decides in a flow of this kind, or the page that comes first. */
export async function findDecider(visit: Visit, kind: PageFlowKind): Promise<UserCaller | { readonly to: string }> {
  const account = visit.flow.kind === kind ? accountOf(visit) : undefined;
  if (account === undefined) return { to: pageLink(visit, 'sign-in') };
  const caller = await callerOf(visit.app, account, UNFINISHED);
  // Who was asked for a newer second factor may still look at the question, and deny.
  const missing = findMissingStep({ ...visit, flow: { ...visit.flow, wants_factor: false } }, caller);
  return missing === null ? caller : { to: pageLink(visit, missing) };
}

/** Where a second factor is missing or too long ago, it is asked for; after it the person comes back to the question. */
export async function decideOrStepUp(visit: Visit, decide: () => Promise<PageOutcome>): Promise<PageOutcome> {
  try {
    return await decide();
  } catch (error) {
    const needsFactor =
      error instanceof ApiError &&
      (error.errorCode === 'insufficient_aal' || error.errorCode === 'mfa_step_up_required');
    if (!needsFactor) throw error;
    await noteFactorWanted(visit.app.db, visit.flow.id);
    return { to: pageLink(visit, 'mfa') };
  }
}

/** By which account the person decides. */
export function accountLine(visit: Visit, user: UserCaller['user']): Markup {
  const { words } = visit;
  const address = nameOfPerson(visit, user);
  return html`<p>${words('consent.account', { address })} <a href="${otherAccountLink(visit)}">${words('consent.other_account')}</a></p>`;
}

type AskingClient = OpenedAuthorization['client'];

/** A name has up to 1024 characters, which would say more than the page. */
const MAX_NAME = 80;
/** A heading says more than the name, and is also the title of the window. */
export const MAX_NAME_IN_HEADING = 60;

/** @param maxCharacters what is longer ends in an ellipsis */
export function clientName(client: AskingClient, maxCharacters = MAX_NAME): string {
  const characters = [...(client.name || clientIdOf(client))];
  return characters.length > maxCharacters ? `${characters.slice(0, maxCharacters).join('')}…` : characters.join('');
}

/** The name of a client that has registered itself may be anything. Its document at least is on a host of its own. */
export function clientWarning({ words }: Visit, { registration, url }: AskingClient): Markup | false {
  if (registration !== 'dynamic') return false;
  const text = url === null ? words('consent.unverified') : words('consent.document', { host: new URL(url).host });
  return html`<p class="alert" role="note">${text}</p>`;
}

/** What a scope allows, in words. */
export function scopeText({ app, words }: Pick<Visit, 'app' | 'words'>, scope: string): string {
  const isOrganization = scope === ORGANIZATION_SCOPE && app.config.organizationsEnabled;
  const key = isOrganization ? 'consent.scope_organization' : scopeTexts[scope];
  return key === undefined ? (ownScopes(app.config).get(scope) ?? scope) : words(key);
}

/** What is asked for. */
export const scopeList = (visit: Visit, scopes: readonly string[]): Markup =>
  html`<ul>${scopes.map((scope) => html`<li>${scopeText(visit, scope)}</li>`)}</ul>`;

/**
 * To who is no member of the organization that a client serves. Another account may be one; or the client learns that the answer is no.
 * @returns null for another error
 */
export function showNotServed(
  visit: Visit,
  kind: 'consent' | 'device',
  { user }: UserCaller,
  error: unknown,
): View | null {
  if (!(error instanceof ApiError) || error.entry !== 'notAMember') return null;
  const { words } = visit;
  const title = words('consent.not_member');
  const main = html`<h1>${title}</h1>
${accountLine(visit, user)}
<p>${words('consent.not_member_text')}</p>
${form(visit, kind, button(words('consent.not_member_back'), 'deny', PLAIN))}`;
  return { title, main, status: 403 };
}

/** The question for which organization, where there is one, and the decision. */
export const decisionFields = (
  visit: Visit,
  choice: OrganizationChoice,
): Markup => html`${organizationField(visit, choice)}
${button(visit.words('consent.approve'), 'approve')}
${button(visit.words('consent.deny'), 'deny', UNCHECKED)}`;

/** Nothing is chosen beforehand, so that no one allows it for another organization by mistake. */
function organizationField({ words }: Visit, { options, isAsked }: OrganizationChoice): Markup | null {
  const [only] = options;
  if (only === undefined) return null;
  if (!isAsked) return html`<p>${words('consent.for_organization', { organization: only.name })}</p>`;
  const names = options.map(({ name }) => name);
  const listed = options.map(({ id, name, slug }) => {
    const isAlone = names.indexOf(name) === names.lastIndexOf(name);
    return html`<option value="${id}">${isAlone ? name : `${name} (${slug})`}</option>`;
  });
  return html`<div class="field">
<label for="organization">${words('consent.organization')}</label>
<select id="organization" name="organization_id" required>
<option value="">${words('consent.choose')}</option>
${listed}
</select>
</div>`;
}
