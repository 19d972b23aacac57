/** /ui/account/organizations/{id}/scim: tokens by which an identity provider makes and ends the accounts of an organization. */
import { html, type Markup } from '../../../html.js';
import { locationOf } from '../../scim/resource-locations.js';
import { MAX_TOKEN_NAME, MOST_TOKENS, readTokens, tokensOfOrganization } from '../../scim/scim-tokens.js';
import { DANGER } from '../account/account-frame.js';
import { ageOf, timeLeftOf } from '../account/age.js';
import { button, field, form, hidden } from '../form.js';
import type { Visit } from '../visit.js';
import { isRaised, raiseForm } from './organization-guard.js';
import { folded } from './organization-leave.js';
import { isRefused } from './organization-parts.js';
import { type OrganizationVisit, organizationPath } from './organization-place.js';
import { makeOrganizationPage } from './organization-visit.js';

type Token = Awaited<ReturnType<typeof readTokens>>[number];

export const organizationScimPage = makeOrganizationPage('scim', showTokens);

async function showTokens(visit: OrganizationVisit): Promise<Markup> {
  const { app, words, own, caller, client } = visit;
  const tokens = await readTokens(app, await tokensOfOrganization(app, client.requestId, caller, own.organization.id));
  const list =
    tokens.length === 0
      ? html`<p>${words('scim.none')}</p>`
      : html`<ul class="plain">${tokens.map((token) => showToken(visit, token))}</ul>`;
  return html`<p>${words('scim.text')}</p>
${showBase(visit)}
${list}
${own.mayProvision && (await showAddition(visit, tokens))}`;
}

/** What those who run an identity provider enter there, beside a token. */
export const showBase = ({ app, words }: Pick<Visit, 'app' | 'words'>): Markup =>
  html`<p>${words('scim.base')}</p><p><code class="secret" dir="ltr">${locationOf(app, '')}</code></p>`;

async function showAddition(visit: OrganizationVisit, tokens: readonly Token[]): Promise<Markup> {
  const { words } = visit;
  // Expired ones make room.
  if (tokens.filter((token) => !isOver(token)).length >= MOST_TOKENS) {
    return html`<p class="muted">${words('scim.full', { count: MOST_TOKENS })}</p>`;
  }
  return (await isRaised(visit)) ? additionForm(visit, tokens.length === 0) : raiseForm(visit);
}

function additionForm(visit: OrganizationVisit, isFirst: boolean): Markup {
  const { words, form: sent, error } = visit;
  const isSent = isRefused(visit, 'add');
  const value = (name: string): string => (isSent ? (sent.get(name) ?? '') : '');
  const isWrong = isSent && error?.entry === 'scimTokenFieldInvalid';
  const isNameWrong = isWrong && value('name').trim().length > MAX_TOKEN_NAME;
  const name = {
    autocomplete: 'off',
    maxlength: String(MAX_TOKEN_NAME),
    value: value('name'),
  };
  const expiry = {
    type: 'date',
    autocomplete: 'off',
    min: new Date().toISOString().slice(0, 10),
    value: value('expires_at'),
  };
  const content = html`${field('name', words('scim.name'), name, isNameWrong)}${field('expires_at', words('scim.expires_on'), expiry, isWrong && !isNameWrong)}${button(words('scim.add'), 'add')}`;
  return folded(words('scim.add'), isFirst || isSent, form(visit, organizationPath(visit, 'scim'), content));
}

function showToken(visit: OrganizationVisit, token: Token): Markup {
  const { words, language, own } = visit;
  const { id, created_at, expires_at, last_used_at } = token;
  const name = token.name || words('scim.unnamed');
  const used =
    last_used_at === null ? words('scim.unused') : html`${words('sessions.used')} ${ageOf(language, last_used_at)}`;
  const left =
    expires_at !== null && !isOver(token) && html` · ${words('scim.expires')} ${timeLeftOf(language, expires_at)}`;
  const end = html`<p>${words('scim.end_text')}</p>${hidden('entry_id', id)}${button(words('scim.end'), 'end', DANGER)}`;
  return html`<li>
<strong><bdi>${name}</bdi></strong>${isOver(token) && html` <span class="tag">${words('scim.over')}</span>`}
<div class="muted">${words('passkeys.added')} ${ageOf(language, created_at)} · ${used}${left}</div>
${own.mayProvision && folded(words('scim.end_named', { name }), isRefused(visit, 'end', 'entry_id', id), form(visit, organizationPath(visit, 'scim'), end))}
</li>`;
}

const isOver = ({ expires_at }: Token): boolean => expires_at !== null && Date.parse(expires_at) <= Date.now();
