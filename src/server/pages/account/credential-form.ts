/** A form that the script fills in with what the browser creates. */
import type { Markup } from '../../../html.js';
import { html } from '../../../html.js';
import { attributesOf, button, form, hidden } from '../form.js';
import type { Begun } from '../mfa-page.js';
import type { AccountVisit } from './account-visit.js';
import { FACTORS_PATH } from './factors-path.js';

/** For a security key. It waits for a click, without which some browsers refuse. */
export const createCredentialForm = (visit: AccountVisit, id: Markup, { challengeId, options }: Begun): Markup =>
  form(
    visit,
    FACTORS_PATH,
    html`${id}${hidden('challenge_id', challengeId)}${hidden('credential_json', '')}${hidden('action', 'verify')}
${button(visit.words('mfa.webauthn_submit'))}`,
    attributesOf({ 'data-credential': 'create', 'data-options': options ?? '' }),
  );
