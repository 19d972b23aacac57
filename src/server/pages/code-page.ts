/** /ui/code: the code that was sent to an address. */

import { html } from '../../html.js';
import { spellEmail, stripPhone } from '../accounts/addresses.js';
import { verifyCode } from '../codes/verify.js';
import { apiError } from '../errors.js';
import { readContact } from './address.js';
import { accountOf, keepSignIn } from './browser.js';
import { attributesOf, button, captchaBox, codeField, form, hidden, isCodeWrong, pageLink } from './form.js';
import type { View } from './layout.js';
import type { PageOutcome } from './outcome.js';
import { repeatSent, type SentType } from './sent-code.js';
import type { Visit } from './visit.js';

export function showCode(visit: Visit): View | PageOutcome {
  const { words, flow, app } = visit;
  if (flow.sent_type === null) return { to: pageLink(visit, 'sign-in') };
  // Back, or a second tab: the code was used already, and asking for another one would lead nowhere.
  const isOver = accountOf(visit) !== undefined && (visit.error === null || visit.error.entry === 'formOutdated');
  if (isOver) return { to: pageLink(visit, 'continue') };
  const isMail = flow.sent_type !== 'sms';
  const everySeconds = (isMail ? app.config.smtpMaxFrequencySeconds : app.config.smsMaxFrequencySeconds) ?? 0;
  const waitSeconds = Math.max(0, Math.ceil(everySeconds - (flow.sent_seconds_ago ?? 0)));
  const waiting = attributesOf({
    class: 'plain',
    'data-wait': String(waitSeconds),
    'data-waiting': words('code.resend_in', { seconds: '{seconds}' }),
  });
  // For the case that the flow has expired meanwhile; otherwise the flow knows it.
  const address = hidden('address', flow.address);
  const main = html`<h1>${words('code.title')}</h1>
<p>${words('code.sent', { address: flow.address })} ${isMail && words('code.open_link')}</p>
${form(visit, 'code', html`${address}${codeField(words('code.field'), isCodeWrong(visit))}${button(words('code.submit'), 'verify')}`)}
${form(visit, 'code', html`${address}${captchaBox(visit)}${button(words('code.resend'), 'resend', waiting)}`)}
<p><a href="${pageLink(visit, 'sign-in')}&amp;account=other">${words('code.other_address')}</a></p>`;
  return { title: words('code.title'), main, hasCaptcha: true };
}

export interface CodeForm {
  readonly action?: string;
  readonly code?: string;
}

/** @throws ApiError those of {@link verifyCode}, and of what sends a code */
export async function submitCode(visit: Visit, { action, code = '' }: CodeForm): Promise<PageOutcome> {
  const { app, client, audience, flow } = visit;
  const sent = flow.sent_type as SentType | null;
  if (sent === null) return { to: pageLink(visit, 'sign-in') };
  // The flow knows the address; the form does not say it.
  const again = { ...visit, address: flow.address };
  if (action === 'resend') return repeatSent(again, sent);
  const { email, phone } = readContact(app.config, flow.address);
  const contact = email
    ? ({ channel: 'email', address: spellEmail(email) } as const)
    : ({ channel: 'phone', address: stripPhone(phone) } as const);
  const verified = await verifyCode(app, client, {
    type: sent,
    contact,
    code: code.replace(/[\s-]/g, ''),
    audience,
    password: '',
  });
  if (verified.outcome !== 'signed_in') throw apiError('codeInvalid');
  return { to: pageLink(visit, 'continue'), secret: await keepSignIn(visit, verified.tokens) };
}
