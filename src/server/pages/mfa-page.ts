/** /ui/mfa: the second factor of a sign-in, or its enrolment where it is required. */

import type { FactorSummary } from '../../db/user-rows.js';
import { html, type Markup } from '../../html.js';
import { factorKinds, isEnrolledKind } from '../factors/kinds.js';
import type { UserCaller } from '../sessions/caller.js';
import { hasVerifiedFactor } from '../sessions/verified-factor.js';
import { accountOf, callerOf } from './browser.js';
import { findMissingStep, UNFINISHED } from './continue.js';
import { attributesOf, button, codeField, field, form, hidden, isCodeWrong, PLAIN, pageLink } from './form.js';
import type { View } from './layout.js';
import type { PageOutcome } from './outcome.js';
import { markName } from './person.js';
import { otherAccountLink } from './sign-in-links.js';
import type { Visit } from './visit.js';

/** In place of a factor's id. */
export const RECOVERY_CODE = 'recovery';

/** What a form has begun: a code that was sent, or the options for a security key. */
export interface Begun {
  readonly challengeId: string;
  /** JSON of the options for the browser; null: a code was sent. */
  readonly options: string | null;
}

/** @throws ApiError those of {@link callerOf} */
export async function showMfa(visit: Visit): Promise<View | PageOutcome> {
  const account = accountOf(visit);
  if (account === undefined) return { to: pageLink(visit, 'sign-in') };
  const caller = await callerOf(visit.app, account, UNFINISHED);
  if (findMissingStep(visit, caller) !== 'mfa') return { to: pageLink(visit, 'continue') };
  if (!hasVerifiedFactor(caller.user)) return showEnrolment(visit, caller);
  const challengeId = visit.form.get('challenge_id');
  // A wrong code of a text does not send another one.
  return showFactor(visit, caller, challengeId === undefined ? null : { challengeId, options: null });
}

/** The factors with which the person may go on, the usual ones first. */
function usableFactors({ app }: Visit, { user }: UserCaller): readonly FactorSummary[] {
  const order = ['totp', 'webauthn', 'phone'];
  return (user.factors ?? [])
    .filter(
      ({ kind, status }) => status === 'verified' && isEnrolledKind(kind) && factorKinds[kind].mayVerify(app.config),
    )
    .toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
}

const mayUseRecoveryCode = ({ app }: Visit, { user }: UserCaller): boolean =>
  app.config.mfaRecoveryCodesVerifyEnabled && (user.factors ?? []).some(({ kind }) => kind === 'recovery_code');

/** @param begun null: nothing was sent yet */
export function showFactor(visit: Visit, caller: UserCaller, begun: Begun | null): View {
  const { words } = visit;
  const factors = usableFactors(visit, caller);
  const wanted = visit.form.get('factor_id') ?? visit.query.get('factor') ?? '';
  const hasRecovery = mayUseRecoveryCode(visit, caller);
  const chosen = factors.find(({ id }) => id === wanted) ?? factors[0];
  const isRecovery = hasRecovery && (wanted === RECOVERY_CODE || chosen === undefined);
  const title = words('mfa.title');
  const main = html`<h1>${title} <small>${markName(visit, caller.user)}</small></h1>
${isRecovery ? recoveryForm(visit) : chosen === undefined ? html`<p>${words('mfa.none')}</p>` : factorForm(visit, chosen, begun)}
${otherWays(visit, factors, isRecovery ? RECOVERY_CODE : (chosen?.id ?? ''), hasRecovery)}
${wayOut(visit)}`;
  return { title, main };
}

/** Who does not go on with this account: back to what asked for the factor, else to another account. */
function wayOut(visit: Visit): Markup {
  const { words, flow } = visit;
  return flow.wants_factor
    ? html`<p><a href="${pageLink(visit, flow.kind === 'manage' ? 'account' : flow.kind)}">${words('common.back')}</a></p>`
    : html`<p><a href="${otherAccountLink(visit)}">${words('chooser.other')}</a></p>`;
}

function factorForm(visit: Visit, factor: FactorSummary, begun: Begun | null): Markup {
  const { words } = visit;
  const id = hidden('factor_id', factor.id);
  const code = html`${codeField(words('code.field'), isCodeWrong(visit))}${button(words('mfa.submit'), 'verify')}`;
  const phone = { phone: hidePhone(factor.phone ?? '') };
  switch (factor.kind) {
    case 'phone':
      return begun === null
        ? html`<p>${words('mfa.phone', phone)}</p>${form(visit, 'mfa', html`${id}${button(words('mfa.send'), 'begin')}`)}`
        : html`<p>${words('mfa.phone_sent', phone)}</p>
${form(visit, 'mfa', html`${id}${hidden('challenge_id', begun.challengeId)}${code}`)}
${form(visit, 'mfa', html`${id}${button(words('code.resend'), 'begin', PLAIN)}`)}`;
    case 'webauthn':
      return begun?.options == null
        ? html`<p>${words('mfa.webauthn')}</p>
<noscript><p>${words('mfa.webauthn_needs_script')}</p></noscript>
${form(visit, 'mfa', html`${id}${button(words('mfa.webauthn_submit'), 'begin')}`)}`
        : html`<p>${words('mfa.webauthn')}</p>${credentialForm(visit, id, begun)}`;
    default:
      return html`<p>${words('mfa.totp')}</p>${form(visit, 'mfa', html`${id}${code}`)}`;
  }
}

/** The script asks the browser at once, and again when the button is pressed. */
function credentialForm(visit: Visit, id: Markup, { challengeId, options }: Begun): Markup {
  const attributes = attributesOf({ 'data-credential': 'ask', 'data-options': options ?? '' });
  const content = html`${id}${hidden('challenge_id', challengeId)}${hidden('credential_json', '')}${hidden('action', 'verify')}
${button(visit.words('mfa.webauthn_submit'))}`;
  return form(visit, 'mfa', content, attributes);
}

function recoveryForm(visit: Visit): Markup {
  const { words } = visit;
  const attributes = {
    type: 'text',
    autocomplete: 'off',
    spellcheck: 'false',
    required: true,
    maxlength: '64',
    autofocus: true,
    dir: 'ltr',
  } as const;
  const content = html`${hidden('factor_id', RECOVERY_CODE)}
${field('code', words('mfa.recovery_field'), attributes, isCodeWrong(visit))}${button(words('mfa.submit'), 'recovery')}`;
  return html`<p>${words('mfa.recovery')}</p>${form(visit, 'mfa', content)}`;
}

function otherWays(
  visit: Visit,
  factors: readonly FactorSummary[],
  shown: string,
  hasRecovery: boolean,
): Markup | null {
  const { words } = visit;
  const ways = factors.map((factor) => [factor.id, nameOfFactor(visit, factor)] as const);
  const all = [...ways, ...(hasRecovery ? [[RECOVERY_CODE, words('mfa.use_recovery')] as const] : [])];
  const others = all.filter(([id]) => id !== shown);
  if (others.length === 0) return null;
  const links = others.map(
    ([id, name]) => html`<li><a href="${pageLink(visit, 'mfa')}&amp;factor=${id}">${name}</a></li>`,
  );
  return html`<h2>${words('mfa.other')}</h2><ul class="plain">${links}</ul>`;
}

export function nameOfFactor(
  { words }: Pick<Visit, 'words'>,
  { kind, friendly_name: name, phone }: FactorSummary,
): string {
  if (kind === 'phone') return words('mfa.use_phone', { phone: hidePhone(phone ?? '') });
  const usual = words('factors.name_webauthn');
  if (kind === 'webauthn') return ['', usual].includes(name) ? usual : words('mfa.use_webauthn', { name });
  return words('mfa.use_totp');
}

/** A line may not end here (Unicode Standard Annex 14, WJ). */
const WORD_JOINER = '\u2060';

/** Enough to know the phone, not enough to learn its number. */
export const hidePhone = (digits: string): string => `+${WORD_JOINER}…${WORD_JOINER}${digits.slice(-4)}`;

function showEnrolment(visit: Visit, { user }: UserCaller): View {
  const { words, app, form: sent } = visit;
  const title = words('mfa.enrol_title');
  const heading = html`<h1>${title} <small>${markName(visit, user)}</small></h1>`;
  if (!app.config.mfaTotpEnrollEnabled || !app.config.mfaTotpVerifyEnabled) {
    return { title, main: html`${heading}<p>${words('mfa.none')}</p>${wayOut(visit)}` };
  }
  const factorId = sent.get('factor_id');
  const main = html`${heading}
<p>${words(factorId === undefined ? 'mfa.enrol_text' : 'mfa.totp')}</p>
${factorId !== undefined && enrolmentForm(visit, factorId)}
${form(visit, 'mfa', button(words(factorId === undefined ? 'mfa.enrol_begin' : 'mfa.enrol_again'), 'enrol', factorId === undefined ? null : PLAIN))}
${wayOut(visit)}`;
  return { title, main };
}

const enrolmentForm = (visit: Visit, factorId: string): Markup =>
  form(
    visit,
    'mfa',
    html`${hidden('factor_id', factorId)}${codeField(visit.words('code.field'), isCodeWrong(visit))}
${button(visit.words('mfa.submit'), 'verify')}`,
  );

/** Of an authenticator app. */
export interface ShownSecret {
  readonly qr_code: string;
  readonly secret: string;
}

export const secretOf = (
  { words }: Pick<Visit, 'words'>,
  { qr_code, secret }: ShownSecret,
): Markup => html`<img class="qr" src="data:image/svg+xml;base64,${Buffer.from(qr_code).toString('base64')}" alt="${words('mfa.enrol_qr')}">
<p>${words('mfa.enrol_key')}: <code class="secret" dir="ltr">${secret}</code></p>`;

/** The secret is shown once. */
export function showSecret(visit: Visit, factorId: string, shown: ShownSecret): View {
  const { words } = visit;
  const title = words('mfa.enrol_title');
  const main = html`<h1>${title}</h1>
<p>${words('mfa.enrol_scan')}</p>
${secretOf(visit, shown)}
${enrolmentForm(visit, factorId)}`;
  return { title, main };
}
