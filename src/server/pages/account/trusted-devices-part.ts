/** Trusted devices on /ui/account/factors. */
import { html, type Markup } from '../../../html.js';
import { listOwnDevices } from '../../factors/trust.js';
import { button, form, hidden, PLAIN } from '../form.js';
import type { AccountVisit } from './account-visit.js';
import { ageOf } from './age.js';
import { FACTORS_PATH } from './factors-path.js';

/** @returns null without any, which is so for most people */
export async function showDevices(visit: AccountVisit): Promise<Markup | null> {
  const { app, words, language, caller } = visit;
  const devices = app.config.mfaTrustedDeviceEnabled ? await listOwnDevices(app, caller) : [];
  if (devices.length === 0) return null;
  const list = devices.map(({ id, name, created_at, last_used_at }) => {
    const label = name || words('sessions.unknown_device');
    return html`<li class="row">
<div><strong>${label}</strong>
<div class="muted">${words('passkeys.added')} ${ageOf(language, created_at)}${last_used_at !== null && html` · ${words('sessions.used')} ${ageOf(language, last_used_at)}`}</div></div>
${form(
  visit,
  FACTORS_PATH,
  html`${hidden('action', 'device')}${hidden('entry_id', id)}<button type="submit" class="link" aria-label="${words('factors.remove_named', { name: label })}">${words('passkeys.remove')}</button>`,
)}
</li>`;
  });
  return html`<h2 class="part">${words('factors.devices')}</h2>
<p>${words('factors.devices_text')}</p>
<ul class="plain">${list}</ul>
${form(visit, FACTORS_PATH, html`${hidden('action', 'devices')}${button(words('factors.devices_end'), '', PLAIN)}`)}`;
}
