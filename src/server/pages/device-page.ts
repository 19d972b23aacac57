/** /ui/device: the code that a device shows, what it asks for, and the decision of the person (RFC 8628 3.3). */
import { chooseDevice } from '../../db/pages.js';
import { html, type Markup } from '../../html.js';
import { ApiError, apiError } from '../errors.js';
import {
  decideDeviceRequest,
  findDeviceDecision,
  type OpenedDevice,
  openDeviceRequest,
} from '../oauth/device-consent.js';
import { formatUserCode, readUserCode } from '../oauth/user-code.js';
import type { UserCaller } from '../sessions/caller.js';
import {
  accountLine,
  clientName,
  clientWarning,
  decideOrStepUp,
  decisionFields,
  findDecider,
  scopeList,
  showNotServed,
} from './consent-parts.js';
import { button, field, form, pageLink } from './form.js';
import type { View } from './layout.js';
import type { PageOutcome } from './outcome.js';
import type { Visit } from './visit.js';

/** Longest text of a device about itself that is shown. */
const MAX_AGENT_CHARACTERS = 100;

/** Another code may be typed. */
const codeErrors: ReadonlySet<string> = new Set(['userCodeWrong', 'authorizationDecided', 'overRequestRate']);

/** @throws ApiError userCodeWrong, authorizationDecided, overRequestRate */
export async function showDevice(visit: Visit): Promise<View | PageOutcome> {
  const { app, flow, request, error } = visit;
  if (flow.kind !== 'device' || flow.subject === null || (error !== null && codeErrors.has(error.entry))) {
    return showCodeField(visit);
  }
  const person = await findDecider(visit, 'device');
  if ('to' in person) return person;
  try {
    return showQuestion(visit, person, await openDeviceRequest(app, request, person, flow.subject));
  } catch (error) {
    const view = showNotServed(visit, 'device', person, error);
    if (view === null) throw error;
    return view;
  }
}

/** @throws ApiError userCodeWrong, authorizationDecided, overRequestRate */
export async function submitDevice(
  visit: Visit,
  given: { readonly action?: string; readonly code?: string; readonly organization_id?: string },
): Promise<PageOutcome> {
  const { app, flow, request } = visit;
  // A flow that leads elsewhere goes on in its own tab.
  if (flow.kind !== 'device') return { to: 'device' };
  if (given.action === 'code') {
    const code = readUserCode(given.code ?? '');
    if (code === null) throw apiError('userCodeWrong');
    // Whether it is right is found out after the sign-in, which makes guesses count for an account.
    await chooseDevice(app.db, flow.id, code);
    return { to: pageLink(visit, 'continue') };
  }
  const person = await findDecider(visit, 'device');
  if ('to' in person) return person;
  const action = given.action === 'approve' ? 'approve' : 'deny';
  const code = flow.subject ?? '';
  return decideOrStepUp(visit, async () => {
    try {
      await decideDeviceRequest(app, request, person, code, action, given.organization_id);
    } catch (error) {
      const refused = showNotServed(visit, 'device', person, error);
      if (refused !== null) return { view: refused };
      // A second click changes nothing.
      const isOver = error instanceof ApiError && error.entry === 'authorizationDecided';
      if (!isOver || (await findDeviceDecision(app, person, code)) !== action) throw error;
    }
    return { view: showDecision(visit, action) };
  });
}

/** The code of the address is typed in already; the person compares it with that of the device (RFC 8628 3.3.1). */
function showCodeField(visit: Visit): View {
  const { words, flow, error } = visit;
  const typed = visit.form.get('code') ?? visit.query.get('user_code') ?? flow.subject ?? '';
  const code = readUserCode(typed);
  const attributes = {
    type: 'text',
    class: 'code',
    autocomplete: 'off',
    autocapitalize: 'characters',
    spellcheck: 'false',
    maxlength: '20',
    required: true,
    autofocus: true,
    dir: 'ltr',
    value: code === null ? typed.slice(0, 20) : formatUserCode(code),
  } as const;
  const title = words('device.title');
  const main = html`<h1>${title}</h1>
<p>${words('device.text')}</p>
${form(visit, 'device', html`${field('code', words('device.code'), attributes, error !== null)}${button(words('device.submit'), 'code')}`)}`;
  return { title, main };
}

/** The person compares the code with that of the device, so it is not broken at its hyphen. A text may be without it. */
function inOneLine(text: string, code: string): Markup {
  const [before, ...others] = text.split(code);
  return html`${before!}${others.map((after) => html`<span class="whole">${code}</span>${after}`)}`;
}

function showQuestion(visit: Visit, { user }: UserCaller, { request, client, choice }: OpenedDevice): View {
  const { words } = visit;
  const name = clientName(client);
  const title = words('device.question', { name });
  const code = formatUserCode(request.user_code);
  const agent = request.user_agent?.slice(0, MAX_AGENT_CHARACTERS) ?? '';
  const main = html`<h1>${title}</h1>
${accountLine(visit, user)}
<p class="alert" role="note">${inOneLine(words('device.check', { code }), code)}</p>
${clientWarning(visit, client)}
<p>${words('consent.asks', { name })}</p>
${scopeList(visit, request.scopes)}
${request.ip !== null && html`<p class="muted">${words('device.place', { ip: request.ip })}</p>`}
${agent !== '' && html`<p class="muted">${words('device.agent', { agent })}</p>`}
${form(visit, 'device', decisionFields(visit, choice))}`;
  return { title, main };
}

function showDecision({ words }: Visit, action: 'approve' | 'deny'): View {
  const [title, text] =
    action === 'approve'
      ? ([words('device.approved'), words('device.approved_text')] as const)
      : ([words('device.denied'), words('device.denied_text')] as const);
  return { title, main: html`<h1>${title}</h1><p>${text}</p>` };
}
