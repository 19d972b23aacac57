/** /ui/consent: what a client asks for, and the decision of the person. */
import type { OpenedAuthorization } from '../../db/oauth-authorizations.js';
import { html } from '../../html.js';
import { ApiError } from '../errors.js';
import { decideAuthorization, findDecided, readAuthorization } from '../oauth/consent.js';
import type { OrganizationChoice } from '../oauth/organization-choice.js';
import type { UserCaller } from '../sessions/caller.js';
import {
  accountLine,
  clientName,
  clientWarning,
  decideOrStepUp,
  decisionFields,
  findDecider,
  MAX_NAME_IN_HEADING,
  scopeList,
  showNotServed,
} from './consent-parts.js';
import { placeOf, showHop } from './continue.js';
import { form } from './form.js';
import type { View } from './layout.js';
import type { PageOutcome } from './outcome.js';
import { otherAccountLink } from './sign-in-links.js';
import type { Visit } from './visit.js';

/** @throws ApiError authorizationNotFound, authorizationNotOpen */
export async function showConsent(visit: Visit): Promise<View | PageOutcome> {
  const person = await findDecider(visit, 'consent');
  if ('to' in person) return person;
  const { app, flow, requestId } = visit;
  try {
    const found = await readAuthorization(app, requestId, person, flow.subject ?? '', othersOf(visit));
    return found.redirectUrl === undefined
      ? showQuestion(visit, person, found.asked, found.choice)
      : showHop(visit, found.redirectUrl);
  } catch (error) {
    // The client asks for a sign-in of its own, or a newer one.
    if (error instanceof ApiError && error.entry === 'loginTooOld') return { to: otherAccountLink(visit) };
    return showRefusal(visit, person, error);
  }
}

/** @throws ApiError consentActionInvalid, authorizationNotFound */
export async function submitConsent(
  visit: Visit,
  { action, organization_id: organizationId }: { readonly action?: string; readonly organization_id?: string },
): Promise<PageOutcome> {
  const person = await findDecider(visit, 'consent');
  if ('to' in person) return person;
  const { app, flow, requestId } = visit;
  // Whatever is not the one button is the other.
  const decision = action === 'approve' ? 'approve' : 'deny';
  return decideOrStepUp(visit, async () => {
    try {
      const id = flow.subject ?? '';
      return { view: showHop(visit, await decideAuthorization(app, requestId, person, id, decision, organizationId)) };
    } catch (error) {
      return { view: await showRefusal(visit, person, error) };
    }
  });
}

/** Why nothing can be allowed. @throws the error, where this person does not learn of the request */
const showRefusal = async (visit: Visit, person: UserCaller, error: unknown): Promise<View> =>
  showNotServed(visit, 'consent', person, error) ?? showDecided(visit, person, error);

const OVER: ReadonlySet<string> = new Set(['authorizationDecided', 'authorizationNotOpen']);

/**
 * Another tab, a second click or Back, after the decision (docs/decisions.md, Requests that are decided twice).
 * @throws the error, unless this person has decided the request
 */
async function showDecided(visit: Visit, person: UserCaller, error: unknown): Promise<View> {
  const { app, flow, words } = visit;
  const isOver = error instanceof ApiError && OVER.has(error.entry);
  const decided = isOver ? await findDecided(app, person, flow.subject ?? '') : undefined;
  if (decided === undefined) throw error;
  const { client, home } = decided;
  const title = words('consent.decided');
  const link =
    home &&
    html`<p><a class="button" href="${home}" rel="noreferrer">${words('hop.link', { host: placeOf(home) })}</a></p>`;
  const main = html`<h1>${title}</h1>
<p>${words('consent.decided_text', { name: clientName(client) })}</p>
${link}`;
  return { title, main, status: 400 };
}

/** A request that another account of this browser has opened may be decided by this one. */
const othersOf = ({ accounts }: Visit): string[] => accounts.map(({ user_id }) => user_id);

function showQuestion(
  visit: Visit,
  { user }: UserCaller,
  { request, client }: OpenedAuthorization,
  choice: OrganizationChoice,
): View {
  const { words } = visit;
  const name = clientName(client);
  const title = words('consent.title', { name: clientName(client, MAX_NAME_IN_HEADING) });
  const main = html`<h1>${title}</h1>
${accountLine(visit, user)}
${clientWarning(visit, client)}
<p>${words('consent.asks', { name })}</p>
${scopeList(visit, request.scopes)}
<p class="muted">${words('consent.target', { host: placeOf(request.redirect_uri) })}</p>
${form(visit, 'consent', decisionFields(visit, choice))}`;
  return { title, main };
}
