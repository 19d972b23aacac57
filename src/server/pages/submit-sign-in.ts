/** What the forms of /ui/sign-in do. */
import { noteAddress } from '../../db/pages.js';
import { signInWithPassword } from '../accounts/sign-in.js';
import { sendSignInCode } from '../codes/sign-in-codes.js';
import { finishSignIn } from '../passkeys/passkey-sign-in.js';
import { readContact, sendingOf } from './address.js';
import { chooseAccount, keepSignIn } from './browser.js';
import { pageLink } from './form.js';
import type { PageOutcome } from './outcome.js';
import type { Visit } from './visit.js';

export interface SignInForm {
  readonly action?: string;
  readonly address?: string;
  readonly password?: string;
  readonly session_id?: string;
}

/** @throws ApiError those of the rules it calls */
export async function submitSignIn(
  visit: Visit,
  { action, password = '', session_id = '' }: SignInForm,
): Promise<PageOutcome> {
  switch (action) {
    case 'choose':
      await chooseAccount(visit, session_id);
      return { to: pageLink(visit, 'continue') };
    case 'code':
      return sendCode(visit);
    default: {
      const contact = readContact(visit.app.config, visit.address);
      const tokens = await signInWithPassword(visit.app, visit.client, {
        ...contact,
        password,
        audience: visit.audience,
      });
      return { to: pageLink(visit, 'continue'), secret: await keepSignIn(visit, tokens) };
    }
  }
}

/** Sends a code to the address of the visit; its page asks for it. @throws ApiError those of {@link sendSignInCode} */
export async function sendCode(visit: Visit): Promise<PageOutcome> {
  const { app, client, flow, address, secretHash } = visit;
  const contact = readContact(app.config, address);
  await sendSignInCode(app, client, {
    ...contact,
    createUser: true,
    data: {},
    channel: '',
    ...sendingOf(visit),
  });
  const type = contact.email ? 'email' : 'sms';
  await noteAddress(app.db, flow.id, address, { type, wantsPassword: false, browserHash: secretHash });
  return { to: pageLink(visit, 'code') };
}

export interface PasskeyForm {
  readonly challenge_id?: string;
  readonly credential_json?: string;
}

/** @throws ApiError those of {@link finishSignIn} */
export async function submitPasskey(
  visit: Visit,
  { challenge_id, credential_json }: PasskeyForm,
): Promise<PageOutcome> {
  const answer = { challengeId: challenge_id, credential: parseCredential(credential_json) };
  const tokens = await finishSignIn(visit.app, visit.client, answer);
  return { to: pageLink(visit, 'continue'), secret: await keepSignIn(visit, tokens) };
}

/** @returns undefined for text that is no JSON object */
export function parseCredential(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
