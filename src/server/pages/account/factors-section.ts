/** /ui/account/factors: second factors, recovery codes and trusted devices. */
import type { FactorSummary } from '../../../db/user-rows.js';
import { html, type Markup } from '../../../html.js';
import { type EnrolledKind, factorKinds, isEnrolledKind } from '../../factors/kinds.js';
import { attributesOf, button, codeField, field, form, hidden, PLAIN } from '../form.js';
import { type Begun, hidePhone, nameOfFactor } from '../mfa-page.js';
import { sectionPage } from './account-frame.js';
import type { AccountVisit } from './account-visit.js';
import { ageOf } from './age.js';
import { createCredentialForm } from './credential-form.js';
import { FACTORS_PATH } from './factors-path.js';
import { showRecoveryPart } from './recovery-part.js';
import { showDevices } from './trusted-devices-part.js';

export const factorsPage = sectionPage('factors', (visit) => showFactors(visit, null));

/** @param begun what the form has begun for a factor that is not verified yet */
export async function showFactors(visit: AccountVisit, begun: Begun | null): Promise<Markup> {
  const { app, words, caller } = visit;
  const factors = (caller.user.factors ?? []).filter(({ kind }) => isEnrolledKind(kind));
  return html`<p>${words('factors.text')}</p>
${factors.length > 0 && html`<ul class="plain">${factors.map((factor) => showOwnFactor(visit, factor, begun))}</ul>`}
${(Object.keys(factorKinds) as EnrolledKind[]).filter((kind) => factorKinds[kind].mayEnrol(app.config)).map((kind) => enrolForm(visit, kind))}
${await showRecoveryPart(visit)}
${await showDevices(visit)}`;
}

function showOwnFactor(visit: AccountVisit, factor: FactorSummary, begun: Begun | null): Markup {
  const { words, language } = visit;
  const isOpen = factor.status === 'unverified';
  const name = factor.friendly_name || nameOfFactor(visit, factor);
  return html`<li>
<div class="row"><div><strong>${name}</strong>${isOpen && html` <span class="tag">${words('factors.unfinished')}</span>`}
<div class="muted">${factor.friendly_name !== '' && html`${nameOfFactor(visit, factor)} · `}${words('passkeys.added')} ${ageOf(language, factor.created_at)}</div></div>
${form(
  visit,
  FACTORS_PATH,
  html`${hidden('action', 'remove')}${hidden('factor_id', factor.id)}<button type="submit" class="link" aria-label="${words('factors.remove_named', { name })}">${words('passkeys.remove')}</button>`,
)}</div>
${isOpen && proofForm(visit, factor, begun)}
</li>`;
}

/** The first answer of a factor makes it count. */
export function proofForm(
  visit: AccountVisit,
  factor: Pick<FactorSummary, 'id' | 'kind' | 'phone'>,
  begun: Begun | null,
): Markup {
  const { words, error, form: sent } = visit;
  const id = hidden('factor_id', factor.id);
  const isThis = sent.get('factor_id') === factor.id;
  // After a wrong code the text that was sent is still good.
  const sentBefore = isThis && error !== null ? sent.get('challenge_id') : undefined;
  const challengeId = (isThis ? begun?.challengeId : undefined) ?? sentBefore;
  const code = html`${codeField(words('code.field'), isThis && error !== null, undefined, `code-${factor.id}`)}${button(words('mfa.submit'), 'verify')}`;
  if (factor.kind === 'totp') return form(visit, FACTORS_PATH, html`${id}${code}`);
  if (factor.kind === 'webauthn' && isThis && begun?.options != null) return createCredentialForm(visit, id, begun);
  if (factor.kind === 'phone' && challengeId !== undefined) {
    return html`<p>${words('mfa.phone_sent', { phone: hidePhone(factor.phone ?? '') })}</p>
${form(visit, FACTORS_PATH, html`${id}${hidden('challenge_id', challengeId)}${code}`)}`;
  }
  return form(
    visit,
    FACTORS_PATH,
    html`${id}${button(words(factor.kind === 'phone' ? 'mfa.send' : 'mfa.webauthn_submit'), 'begin')}`,
  );
}

function enrolForm(visit: AccountVisit, kind: EnrolledKind): Markup {
  const { words, error, form: sent } = visit;
  const isWrong = error !== null && sent.get('action') === kind;
  const name = field(
    'friendly_name',
    words('factors.name'),
    {
      id: `name-${kind}`,
      autocomplete: 'off',
      maxlength: '120',
      value: isWrong ? (sent.get('friendly_name') ?? '') : '',
    },
    isWrong,
  );
  const phone = field(
    'phone',
    words('profile.phone'),
    { type: 'tel', autocomplete: 'tel', required: true, maxlength: '40', dir: 'ltr' },
    isWrong,
  );
  return html`<details${isWrong && attributesOf({ open: true })}><summary>${words(`factors.add_${kind}`)}</summary>
${kind === 'webauthn' && html`<noscript><p>${words('mfa.webauthn_needs_script')}</p></noscript>`}
${form(visit, FACTORS_PATH, html`${kind === 'phone' && phone}${name}${button(words(`factors.add_${kind}`), kind, PLAIN)}`)}
</details>`;
}
