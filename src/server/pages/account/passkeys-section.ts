/** /ui/account/passkeys: passkeys of the person. */
import { html, type Markup } from '../../../html.js';
import { ApiError } from '../../errors.js';
import { readOwnPasskeys, readSignal, removeOwnPasskey, renameOwnPasskey } from '../../passkeys/own-passkeys.js';
import type { PasskeyView } from '../../passkeys/passkey-rules.js';
import { assertMayRegister, beginRegistration, finishRegistration } from '../../passkeys/register.js';
import { attributesOf, button, field, form, hidden, PLAIN } from '../form.js';
import type { PageOutcome } from '../outcome.js';
import { mayUsePasskeys } from '../sign-in-page.js';
import { parseCredential } from '../submit-sign-in.js';
import type { Visit } from '../visit.js';
import { DANGER, sectionPage } from './account-frame.js';
import { type AccountVisit, sectionLink, submitToAccount } from './account-visit.js';
import { ageOf } from './age.js';

export const passkeysPage = sectionPage('passkeys', showPasskeys);

const PATH = 'account/passkeys';

async function showPasskeys(visit: AccountVisit): Promise<Markup> {
  const { app, words, caller } = visit;
  const [passkeys, signal] = await Promise.all([readOwnPasskeys(app, caller), readSignal(app, caller)]);
  // The script tells the browser which ones are left, so that it offers no others.
  return html`<p${attributesOf({ 'data-signal': JSON.stringify(signal) })}>${words('passkeys.text')}</p>
${passkeys.length === 0 ? html`<p>${words('passkeys.none')}</p>` : html`<ul class="plain">${passkeys.map((one) => showPasskey(visit, one))}</ul>`}
${await registrationForm(visit)}`;
}

function showPasskey(visit: AccountVisit, { id, friendly_name: name, created_at, last_used_at }: PasskeyView): Markup {
  const { words, language, error, form: sent } = visit;
  const isWrong = error !== null && sent.get('action') === 'rename' && sent.get('entry_id') === id;
  const attributes = { id: `name-${id}`, autocomplete: 'off', value: name, required: true, maxlength: '120' } as const;
  return html`<li>
<strong>${name}</strong>
<div class="muted">${words('passkeys.added')} ${ageOf(language, created_at)}${last_used_at !== undefined && html` · ${words('sessions.used')} ${ageOf(language, last_used_at)}`}</div>
<details${isWrong && attributesOf({ open: true })}><summary>${words('passkeys.manage', { name })}</summary>
${form(visit, PATH, html`${hidden('entry_id', id)}${field('friendly_name', words('profile.name'), attributes, isWrong)}${button(words('passkeys.rename'), 'rename', PLAIN)}`)}
${form(visit, PATH, html`${hidden('entry_id', id)}${hidden('action', 'remove')}${button(words('passkeys.remove'), '', DANGER)}`)}
</details>
</li>`;
}

/** Where the rules ask for a newer second factor, a button that leads there. */
async function registrationForm(visit: AccountVisit): Promise<Markup | null> {
  const { app, words, caller } = visit;
  if (caller.user.is_sso_user || !mayUsePasskeys(app.config)) return null;
  const add = html`${button(words('passkeys.add'), '')}`;
  const needsScript = html`<noscript><p>${words('passkeys.needs_script')}</p></noscript>`;
  try {
    await assertMayRegister(app, caller);
    const { challenge_id, options } = await beginRegistration(app, caller);
    const attributes = attributesOf({
      hidden: true,
      'data-credential': 'create',
      'data-options': JSON.stringify(options),
    });
    const content = html`${hidden('action', 'add')}${hidden('challenge_id', challenge_id)}${hidden('credential_json', '')}${add}`;
    return html`${needsScript}${form(visit, PATH, content, attributes)}`;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    if (error.entry === 'tooManyPasskeys') return html`<p>${words('error.too_many_entries')}</p>`;
    return html`${needsScript}${form(visit, PATH, html`${hidden('action', 'add')}${add}`)}`;
  }
}

export interface PasskeysForm {
  readonly action?: string;
  readonly entry_id?: string;
  readonly friendly_name?: string;
  readonly challenge_id?: string;
  readonly credential_json?: string;
}

/** @throws ApiError those of the rules of passkeys/ */
export const submitPasskeys = (visit: Visit, sent: PasskeysForm): Promise<PageOutcome> =>
  submitToAccount(visit, 'passkeys', async ({ app, client, caller }) => {
    const { action, entry_id: id = '', challenge_id: challengeId } = sent;
    switch (action) {
      case 'rename':
        await renameOwnPasskey(app, client, caller, id, sent.friendly_name?.trim() ?? '');
        return { to: sectionLink(visit, 'passkeys', 'saved') };
      case 'remove':
        await removeOwnPasskey(app, client, caller, id);
        return { to: sectionLink(visit, 'passkeys', 'removed') };
      default: {
        await assertMayRegister(app, caller);
        const credential = parseCredential(sent.credential_json);
        await finishRegistration(app, client, caller, { challengeId, credential });
        return { to: sectionLink(visit, 'passkeys', 'added') };
      }
    }
  });
