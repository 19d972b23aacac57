/** /ui/code: the code that was sent to an address. */

import { noteAddress } from '../../db/pages.js';
import { html } from '../../html.js';
import { sendRecovery } from '../codes/recover.js';
import { resend } from '../codes/resend.js';
import { verifyCode } from '../codes/verify.js';
import { apiError } from '../errors.js';
import { readContact, sendingOf } from './address.js';
import { keepSignIn } from './browser.js';
import { attributesOf, button, captchaBox, codeField, form, hidden, pageLink } from './form.js';
import type { View } from './layout.js';
import type { PageOutcome } from './outcome.js';
import { sendCode } from './submit-sign-in.js';
import type { Visit } from './visit.js';

/** What was sent: the types of POST /verify. */
type SentType = 'email' | 'signup' | 'recovery' | 'sms';

export function showCode(visit: Visit): View | PageOutcome {
  const { words, flow, error, app } = visit;
  if (flow.sent_type === null) return { to: pageLink(visit, 'sign-in') };
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
${form(visit, 'code', html`${address}${codeField(words('code.field'), error !== null)}${button(words('code.submit'), 'verify')}`)}
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
  if (action === 'resend') return repeat(again, sent);
  const { email, phone } = readContact(app.config, flow.address);
  const contact = email
    ? ({ channel: 'email', address: email.toLowerCase() } as const)
    : ({ channel: 'phone', address: phone.replace(/^\+/, '') } as const);
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

function repeat(visit: Visit, sent: SentType): Promise<PageOutcome> {
  if (sent === 'recovery') return sendRecoveryCode(visit);
  return sent === 'signup' ? repeatConfirmation(visit) : sendCode(visit);
}

async function repeatConfirmation(visit: Visit): Promise<PageOutcome> {
  const { app, client, address } = visit;
  await resend(app, client, {
    type: 'signup',
    email: address,
    phone: '',
    ...sendingOf(visit),
  });
  return noteSent(visit, 'signup');
}

/** Sends a code with which a new password can be set. @throws ApiError those of {@link sendRecovery} */
export async function sendRecoveryCode(visit: Visit): Promise<PageOutcome> {
  const { app, client, address } = visit;
  await sendRecovery(app, client, {
    email: address.trim(),
    ...sendingOf(visit),
  });
  return noteSent(visit, 'recovery');
}

/** The flow remembers what was sent, and its page asks for the code. */
export async function noteSent(visit: Visit, type: SentType): Promise<PageOutcome> {
  const { app, flow, address, secretHash } = visit;
  const sent = { type, wantsPassword: type === 'recovery', browserHash: secretHash };
  await noteAddress(app.db, flow.id, address.trim(), sent);
  return { to: pageLink(visit, 'code') };
}
