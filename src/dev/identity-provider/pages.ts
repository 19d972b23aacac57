/** The pages of the identity provider. What they do works without scripts. Addresses are relative to that of the page. */
import { createHash } from 'node:crypto';
import { html, Markup } from '../../html.js';
import type { CompanyPlace } from './company-place.js';
import type { AnswerForm } from './company-sign-in.js';
import { responseFaults } from './faults.js';
import { indentXml, type TracedMessage } from './message-trace.js';
import { addressOfPerson, COMPANY_DOMAIN, type CompanyPerson, companyPeople, fullNameOf } from './people.js';
import { providerStyle } from './style.js';

const SUBMIT = 'document.forms[0].submit()';
/** For the policy of the page that sends an answer by itself. */
export const SUBMIT_SOURCE = `'sha256-${createHash('sha256').update(SUBMIT).digest('base64')}'`;
const HOME = '../identity-provider';

export interface ProviderHome {
  readonly nonce: string;
  readonly entityId: string;
  /** Of this server. */
  readonly audience: string;
  /** Where a sign-in that begins here leads. */
  readonly target: string;
  readonly hasPages: boolean;
  /** Null: there are no organizations. */
  readonly place: CompanyPlace | null;
  readonly messages: readonly TracedMessage[];
}

/** People, what to do with them, and the latest messages. */
export function renderProviderHome(home: ProviderHome): string {
  const { nonce, entityId, audience, target, hasPages, place, messages } = home;
  return page(
    nonce,
    COMPANY_DOMAIN,
    html`<h1>${COMPANY_DOMAIN}</h1>
<p class="lead">The identity provider of a company, for development. Two people work there, and it believes whoever clicks.</p>
${
  hasPages &&
  html`<p>Open the <a href="../ui/account">account page</a> of this server and type <code>${addressOfPerson(companyPeople[0]!)}</code>, or
begin here, as from a list of one's applications:</p>`
}
<form method="post" action="identity-provider/answer">
${companyPeople.map(
  (person) => html`<section class="person">${describePerson(person)}
<div class="actions"><button name="person" value="${person.key}">Sign in<span class="unseen"> as ${fullNameOf(person)}</span></button>
<button class="quiet" name="person" value="${person.key}" formaction="identity-provider/sign-out">Sign out everywhere<span class="unseen"> for ${fullNameOf(person)}</span></button></div></section>`,
)}
<label>Leads to<input name="RelayState" type="url" value="${target}"></label>
${options}
</form>
${place !== null && renderPlace(place)}
<h2>What goes where</h2>
<dl>
<dt>Entity id here</dt><dd><code>${entityId}</code>, <a href="identity-provider/metadata">metadata</a></dd>
<dt>Entity id of this server</dt><dd><code>${audience}</code>, <a href="../sso/saml/metadata">metadata</a></dd>
</dl>
<h2 id="messages">Messages</h2>
${
  messages.length === 0
    ? html`<p class="soft">None yet. What is received and sent is shown here, newest first.</p>`
    : html`<div aria-labelledby="messages">${messages.map(renderMessage)}</div>`
}`,
  );
}

/** Asks who signs in. @param query that brought the request. @param xml the request */
export function renderWhoSignsIn(nonce: string, query: string, xml: string, audience: string): string {
  return page(
    nonce,
    `Sign in at ${COMPANY_DOMAIN}`,
    html`<h1>Sign in at ${COMPANY_DOMAIN}</h1>
<p class="lead">To go on to <code>${audience}</code></p>
<form method="post" action="answer">
<input type="hidden" name="request" value="${query}">
${companyPeople.map((person) => html`<button class="person" name="person" value="${person.key}">${describePerson(person)}</button>`)}
${options}
</form>
<details><summary>The request</summary><pre tabindex="0">${indentXml(xml)}</pre></details>
<p class="soft">There is no password here, and no session: it asks each time. <a href="${HOME}">What was received and sent</a></p>`,
  );
}

/** Sends an answer on, by itself unless it is to be read first. */
export function renderAnswer(nonce: string, { address, fields, xml, fault }: AnswerForm, isShown: boolean): string {
  const inputs = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  return page(
    nonce,
    'The answer',
    html`<h1>The answer</h1>
<p class="lead">${
      fault === null
        ? html`It goes to <code>${address}</code> as a form.`
        : html`${responseFaults[fault].label}: the server refuses it, and its log says <code>${responseFaults[fault].code}</code>.`
    }</p>
<form method="post" action="${address}">
${inputs}
<button>Send it</button>
</form>
${isShown ? html`<pre tabindex="0">${indentXml(xml)}</pre>` : html`<script>${new Markup(SUBMIT)}</script>`}`,
  );
}

/** Writes the claims of the access token in the fragment of the address, which does not come to the server. */
const ARRIVAL = `const [, payload] = (new URLSearchParams(location.hash.slice(1)).get('access_token') ?? '').split('.');
if (payload) {
  const bytes = Uint8Array.from(atob(payload.replace(/-/g, '+').replace(/_/g, '/')), (byte) => byte.charCodeAt(0));
  document.querySelector('pre').textContent = JSON.stringify(JSON.parse(new TextDecoder().decode(bytes)), null, 2);
}`;
export const ARRIVAL_SOURCE = `'sha256-${createHash('sha256').update(ARRIVAL).digest('base64')}'`;

/** In place of an application. */
export const renderArrival = (nonce: string): string =>
  page(
    nonce,
    'What an application receives',
    html`<h1>What an application receives</h1>
<p class="lead">The browser comes back with tokens behind the <code>#</code> of the address. The access token says:</p>
<pre tabindex="0">Nothing: there is no token in the address, or scripts are off.</pre>
<p><a href="${HOME}">${COMPANY_DOMAIN}</a></p>
<script>${new Markup(ARRIVAL)}</script>`,
  );

/** @param xml what was received; '' where it cannot be read */
export function renderRefused(nonce: string, reason: string, xml: string): string {
  return page(
    nonce,
    'Refused',
    html`<h1>Refused</h1>
<p class="lead">${reason}</p>
${xml !== '' && html`<pre tabindex="0">${indentXml(xml)}</pre>`}
<p><a href="${HOME}">${COMPANY_DOMAIN}</a></p>`,
  );
}

const describePerson = (person: CompanyPerson): Markup =>
  html`<span class="initial" aria-hidden="true">${person.givenName[0]!}</span><span class="who"><strong>${fullNameOf(person)}</strong>
<span>${addressOfPerson(person)}</span> <span class="soft">${person.groups.join(', ')}</span></span>`;

const options = html`<label>Answer with<select name="fault"><option value="">no fault</option>${Object.entries(
  responseFaults,
).map(([name, { label, code }]) => html`<option value="${name}">${label} (${code})</option>`)}</select></label>
<label class="check"><input type="checkbox" name="show" value="true"> Show the answer before it is sent</label>`;

/** Whose people these are. */
const renderPlace = ({ organizationId, organizations }: CompanyPlace): Markup =>
  html`<h2>Whose identity provider it is</h2>
<form method="post" action="identity-provider/organization">
<label>It belongs to<select name="organization">${[{ id: '', name: 'the installation' }, ...organizations].map(
    ({ id, name }) => html`<option value="${id}"${id === organizationId && html` selected`}>${name}</option>`,
  )}</select></label>
<p class="soft">Who signs in here joins its organization, and finds the account that the organization has provisioned (SCIM) under
the address.</p>
<div class="actions"><button class="quiet">Save</button></div>
</form>`;

const renderMessage = ({ at, isReceived, kind, binding, note, relayState, xml }: TracedMessage): Markup =>
  html`<details><summary><span class="way">${isReceived ? 'Received' : 'Sent'}</span> <strong>${kind}</strong>
<span class="soft">${binding}, <time datetime="${at.toISOString()}">${at.toTimeString().slice(0, 8)}</time></span></summary>
<p>${note}${relayState !== '' && html` RelayState: <code>${relayState}</code>`}</p>
<pre tabindex="0">${indentXml(xml)}</pre></details>`;

function page(nonce: string, title: string, main: Markup): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${icon}">
<style nonce="${nonce}">${new Markup(providerStyle)}</style>
</head>
<body>
<main>
${main}
</main>
</body>
</html>
`.text;
}

const icon =
  "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><rect width='16' height='16' rx='4' fill='%234f46e5'/><path d='M4 13V3.5h5V13M9 6.5h3V13M3 13h10M6 6h1M6 8.5h1' fill='none' stroke='white' stroke-width='1.2'/></svg>";
