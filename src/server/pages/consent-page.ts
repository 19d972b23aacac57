/** /ui/consent: what a client asks for, and the decision of the person. */
import type { OpenedAuthorization } from '../../db/oauth-authorizations.js';
import { html, type Markup } from '../../html.js';
import { ApiError } from '../errors.js';
import { clientIdOf } from '../oauth/client-id.js';
import { decideAuthorization, readAuthorization } from '../oauth/consent.js';
import { ownScopes } from '../oauth/scopes.js';
import type { UserCaller } from '../sessions/caller.js';
import { accountOf, callerOf } from './browser.js';
import { findMissingStep, placeOf, showHop, UNFINISHED } from './continue.js';
import type { TextKey } from './contract.js';
import { button, form, PLAIN, pageLink } from './form.js';
import type { View } from './layout.js';
import type { PageOutcome } from './outcome.js';
import { nameOfPerson } from './person.js';
import { otherAccountLink } from './sign-in-page.js';
import type { Visit } from './visit.js';

const scopeTexts: Readonly<Record<string, TextKey>> = {
  openid: 'consent.scope_openid',
  profile: 'consent.scope_profile',
  email: 'consent.scope_email',
  phone: 'consent.scope_phone',
  offline_access: 'consent.scope_offline_access',
};

/** @throws ApiError authorizationNotFound, authorizationNotOpen */
export async function showConsent(visit: Visit): Promise<View | PageOutcome> {
  const person = await findPerson(visit);
  if ('to' in person) return person;
  const { app, flow, requestId } = visit;
  try {
    const found = await readAuthorization(app, requestId, person, flow.subject ?? '', othersOf(visit));
    return found.redirectUrl === undefined
      ? showQuestion(visit, person, found.asked)
      : showHop(visit, found.redirectUrl);
  } catch (error) {
    // The client asks for a sign-in of its own, or a newer one.
    if (error instanceof ApiError && error.entry === 'loginTooOld') return { to: otherAccountLink(visit) };
    throw error;
  }
}

/** @throws ApiError consentActionInvalid, authorizationNotFound, authorizationDecided, stepUpRequired */
export async function submitConsent(visit: Visit, action: string | undefined): Promise<PageOutcome> {
  const person = await findPerson(visit);
  if ('to' in person) return person;
  const { app, flow, requestId } = visit;
  // Whatever is not the one button is the other.
  const decision = action === 'approve' ? 'approve' : 'deny';
  return { view: showHop(visit, await decideAuthorization(app, requestId, person, flow.subject ?? '', decision)) };
}

/** The person who decides, or the page that comes first. */
async function findPerson(visit: Visit): Promise<UserCaller | { readonly to: string }> {
  const account = visit.flow.kind === 'consent' ? accountOf(visit) : undefined;
  if (account === undefined) return { to: pageLink(visit, 'sign-in') };
  const caller = await callerOf(visit.app, account, UNFINISHED);
  const missing = findMissingStep(visit, caller);
  return missing === null ? caller : { to: pageLink(visit, missing) };
}

/** A request that another account of this browser has opened may be decided by this one. */
const othersOf = ({ accounts }: Visit): string[] => accounts.map(({ user_id }) => user_id);

function showQuestion(visit: Visit, { user }: UserCaller, { request, client }: OpenedAuthorization): View {
  const { words } = visit;
  const name = shorten(client.name || clientIdOf(client));
  const title = words('consent.title', { name });
  const address = nameOfPerson(visit, user);
  const main = html`<h1>${title}</h1>
<p>${words('consent.account', { address })} <a href="${otherAccountLink(visit)}">${words('consent.other_account')}</a></p>
${client.registration === 'dynamic' && html`<p class="alert" role="note">${warning(visit, client)}</p>`}
<p>${words('consent.asks', { name })}</p>
<ul>${request.scopes.map((scope) => html`<li>${scopeText(visit, scope)}</li>`)}</ul>
<p class="muted">${words('consent.target', { host: placeOf(request.redirect_uri) })}</p>
${form(visit, 'consent', buttons(visit))}`;
  return { title, main };
}

/** A name has up to 1024 characters, which would say more than the page. */
const MAX_NAME = 80;

function shorten(name: string): string {
  const characters = [...name];
  return characters.length > MAX_NAME ? `${characters.slice(0, MAX_NAME).join('')}…` : name;
}

/** The name of a client that has registered itself may be anything. Its document at least is on a host of its own. */
const warning = ({ words }: Visit, { url }: OpenedAuthorization['client']): string =>
  url === null ? words('consent.unverified') : words('consent.document', { host: new URL(url).host });

const buttons = ({ words }: Visit): Markup => html`${button(words('consent.approve'), 'approve')}
${button(words('consent.deny'), 'deny', PLAIN)}`;

/** What a scope allows, in words. */
export function scopeText({ app, words }: Pick<Visit, 'app' | 'words'>, scope: string): string {
  const key = scopeTexts[scope];
  return key === undefined ? (ownScopes(app.config).get(scope) ?? scope) : words(key);
}
