/** Codes that the pages send; the flow remembers what was sent, and /ui/code asks for it. */
import { noteAddress } from '../../db/pages.js';
import { sendRecovery } from '../codes/recover.js';
import { resend } from '../codes/resend.js';
import { sendSignInCode } from '../codes/sign-in-codes.js';
import { ApiError, type ErrorName } from '../errors.js';
import { readContact, sendingOf } from './address.js';
import { pageLink } from './form.js';
import type { PageOutcome } from './outcome.js';
import type { Visit } from './visit.js';

const JUST_SENT: ReadonlySet<ErrorName> = new Set(['tooSoonForEmail', 'tooSoonForSms']);

/** What was sent: the types of POST /verify. */
export type SentType = 'email' | 'signup' | 'recovery' | 'sms';

/** Sends a code to the address of the visit; its page asks for it. @throws ApiError those of {@link sendSignInCode} */
export async function sendCode(visit: Visit): Promise<PageOutcome> {
  const { app, client, address } = visit;
  const contact = readContact(app.config, address);
  await unlessJustSent(
    visit,
    sendSignInCode(app, client, {
      ...contact,
      createUser: true,
      data: { locale: visit.language.tag },
      channel: '',
      ...sendingOf(visit),
    }),
  );
  return noteSent(visit, contact.email ? 'email' : 'sms');
}

/** Within the interval the code that was sent is still good, so its page asks for that one; it says when to ask again. */
async function unlessJustSent({ form }: Visit, sending: Promise<unknown>): Promise<void> {
  try {
    await sending;
  } catch (error) {
    const isJustSent = error instanceof ApiError && JUST_SENT.has(error.entry);
    if (!isJustSent || form.get('action') === 'resend') throw error;
  }
}

/** Sends another code of the kind that was sent. */
export function repeatSent(visit: Visit, sent: SentType): Promise<PageOutcome> {
  if (sent === 'recovery') return sendRecoveryCode(visit);
  return sent === 'signup' ? repeatConfirmation(visit) : sendCode(visit);
}

/** Sends the code of a sign-up again. @throws ApiError those of {@link resend} */
export async function repeatConfirmation(visit: Visit): Promise<PageOutcome> {
  const { app, client, address } = visit;
  await resend(app, client, {
    type: 'signup',
    email: address.trim(),
    phone: '',
    ...sendingOf(visit),
  });
  return noteSent(visit, 'signup');
}

/** Sends a code with which a new password can be set. @throws ApiError those of {@link sendRecovery} */
export async function sendRecoveryCode(visit: Visit): Promise<PageOutcome> {
  const { app, client, address } = visit;
  await unlessJustSent(visit, sendRecovery(app, client, { email: address.trim(), ...sendingOf(visit) }));
  return noteSent(visit, 'recovery');
}

/** The flow remembers what was sent, and its page asks for the code. */
export async function noteSent(visit: Visit, type: SentType): Promise<PageOutcome> {
  const { app, flow, address, secretHash } = visit;
  const sent = { type, wantsPassword: type === 'recovery', browserHash: secretHash };
  await noteAddress(app.db, flow.id, address.trim(), sent);
  return { to: pageLink(visit, 'code') };
}
