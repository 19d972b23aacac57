/** /ui/account/sessions: where the person is signed in. */
import type { ListedSession } from '../../../db/sessions.js';
import { html, type Markup } from '../../../html.js';
import { readDevice } from '../../notices/device.js';
import { signOut } from '../../sessions/open.js';
import { endSession, listSessions } from '../../sessions/own-sessions.js';
import { button, form, hidden, PLAIN } from '../form.js';
import type { PageOutcome } from '../outcome.js';
import { submitSignOut } from '../sign-out-page.js';
import type { Visit } from '../visit.js';
import { sectionPage } from './account-frame.js';
import { type AccountVisit, sectionLink, submitToAccount } from './account-visit.js';
import { ageOf } from './age.js';

export const sessionsPage = sectionPage('sessions', showSessions);

const PATH = 'account/sessions';

async function showSessions(visit: AccountVisit): Promise<Markup> {
  const { app, words, caller } = visit;
  const sessions = await listSessions(app, caller.user.id);
  const hasOthers = sessions.some(({ id }) => id !== caller.sessionId);
  return html`<p>${words('sessions.text')}</p>
<ul class="plain">${sessions.map((session) => showSession(visit, session))}</ul>
${hasOthers && form(visit, PATH, button(words('sessions.end_others'), 'others', PLAIN))}`;
}

function showSession(visit: AccountVisit, session: ListedSession): Markup {
  const { words, language, caller } = visit;
  const device = session.operator === null ? deviceOf(visit, session.user_agent) : words('sessions.operator');
  const app = session.oauth_client_name || session.oauth_client_id;
  return html`<li class="row">
<div><strong>${app ?? device}</strong>${session.id === caller.sessionId && html` <span class="tag">${words('sessions.current')}</span>`}
<div class="muted">${app !== null && html`${device} · `}${session.ip !== null && html`<bdi>${session.ip}</bdi> · `}${words('sessions.since')} ${ageOf(language, session.created_at)}
${session.refreshed_at !== null && html` · ${words('sessions.used')} ${ageOf(language, session.refreshed_at)}`}</div></div>
${form(
  visit,
  PATH,
  html`${hidden('action', 'end')}${hidden('entry_id', session.id)}
<button type="submit" class="link" aria-label="${words('sessions.end_named', { name: app ?? device })}">${words('sessions.end')}</button>`,
)}
</li>`;
}

/** In the language of the page. */
export function deviceOf({ words }: Pick<Visit, 'words'>, userAgent: string | null): string {
  const { browser, system } = readDevice(userAgent);
  if (browser !== undefined && system !== undefined) return words('sessions.device', { browser, system });
  return browser ?? system ?? words('sessions.unknown_device');
}

export interface SessionsForm {
  readonly action?: string;
  readonly entry_id?: string;
}

/** @throws ApiError those of signOut() */
export const submitSessions = (visit: Visit, { action, entry_id = '' }: SessionsForm): Promise<PageOutcome> =>
  submitToAccount(visit, 'sessions', async (opened) => {
    const { app, client, caller } = opened;
    if (action === 'others') {
      await signOut(app, client, caller, 'others');
      return { to: sectionLink(visit, 'sessions', 'ended') };
    }
    if (entry_id === caller.sessionId) return submitSignOut(opened, entry_id);
    await endSession(app, client.requestId, caller.user, caller.user.id, entry_id);
    // One that has ended in the meantime is no error: it is gone.
    return { to: sectionLink(visit, 'sessions', 'ended') };
  });
