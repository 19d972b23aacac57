/** /ui/logout: whether to sign out of a client that has sent the browser here without saying whose session it means. */
import { html, type Markup } from '../../html.js';
import { clientIdOf } from '../oauth/client-id.js';
import { mayLeadTo } from '../oauth/client-identity.js';
import { endSessionsOfClient } from '../oauth/logout.js';
import { type LogoutRequest, readLogoutRequest } from '../oauth/logout-request.js';
import { showHop } from './continue.js';
import { button, form, hidden, PLAIN, pageLink } from './form.js';
import type { View } from './layout.js';
import type { PageOutcome } from './outcome.js';
import { markName } from './person.js';
import type { Visit } from './visit.js';

/** The form repeats what the address said; both are checked in the same way. */
const CARRIED = ['client_id', 'post_logout_redirect_uri', 'state'] as const;

/** @throws ApiError those of {@link readLogoutRequest} */
export async function showLogout(visit: Visit): Promise<View> {
  const asked = await readAsked(visit);
  const isDone = visit.query.get('done') === 'true' || visit.accounts.length === 0;
  if (!isDone) return showQuestion(visit, asked);
  return asked.target !== null && mayLeadTo(asked.client, asked.target)
    ? showHop(visit, asked.target)
    : showDone(visit, asked);
}

/** @throws ApiError those of {@link readLogoutRequest} */
export async function submitLogout(visit: Visit, action: string | undefined): Promise<PageOutcome> {
  const asked = await readAsked(visit);
  // Whatever is not the one button is the other.
  if (action !== 'sign_out') return { to: pageLink(visit, 'account') };
  const users = new Map(visit.accounts.map(({ user_id: id, email, phone }) => [id, { id, email, phone }]));
  for (const user of users.values()) await endSessionsOfClient(visit.app, visit.requestId, user, asked.client.id);
  return { view: asked.target === null ? showDone(visit, asked) : showHop(visit, asked.target) };
}

const fieldOf = ({ form, query }: Visit, name: string): string | undefined =>
  form.get(name) || query.get(name) || undefined;

const readAsked = (visit: Visit): Promise<LogoutRequest> =>
  readLogoutRequest(visit.app, {
    get: (name) => (name === 'id_token_hint' ? undefined : fieldOf(visit, name)),
  });

const nameOf = ({ client }: LogoutRequest): string => client.name || clientIdOf(client);

function showQuestion(visit: Visit, asked: LogoutRequest): View {
  const { words, accounts } = visit;
  const name = nameOf(asked);
  const title = words('logout.title', { name });
  const carried = CARRIED.flatMap((field) => {
    const value = fieldOf(visit, field);
    return value === undefined ? [] : [hidden(field, value)];
  });
  const main = html`<h1>${title}</h1>
<p>${words('logout.text', { name })}</p>
<ul>${accounts.map((account) => html`<li>${markName(visit, account)}</li>`)}</ul>
${form(
  visit,
  'logout',
  html`${carried}${button(words('logout.submit'), 'sign_out')}
${button(words('logout.stay'), 'stay', PLAIN)}`,
)}`;
  return { title, main };
}

/** A link, where the browser does not go on by itself. */
function onward({ words }: Visit, target: string): Markup {
  const { host, protocol } = new URL(target);
  const place = { host: host || protocol.replace(/:$/, '') };
  return html`<p><a class="button plain" href="${target}" rel="noreferrer">${words('hop.link', place)}</a></p>`;
}

function showDone(visit: Visit, asked: LogoutRequest): View {
  const { words } = visit;
  const title = words('logout.done_title');
  const main = html`<h1>${title}</h1>
<p>${words('logout.done', { name: nameOf(asked) })}</p>
${asked.target !== null && onward(visit, asked.target)}
<p><a href="${pageLink(visit, 'account')}">${words('chooser.manage')}</a></p>`;
  return { title, main };
}
