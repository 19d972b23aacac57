/** What the forms of /ui/sign-in do. */
import { signInWithPassword } from '../accounts/sign-in.js';
import { ApiError, apiError } from '../errors.js';
import { finishSignIn } from '../passkeys/passkey-sign-in.js';
import { readContact } from './address.js';
import { chooseAccount, keepSignIn } from './browser.js';
import { atCompanyLink, findCompany, keepTyped } from './company.js';
import { pageLink } from './form.js';
import type { PageOutcome } from './outcome.js';
import { noteSent, repeatConfirmation, sendCode } from './sent-code.js';
import { otherWaysLink } from './sign-in-links.js';
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
    case 'next':
      return goOnWithAddress(visit);
    case 'code':
      return sendCode(visit);
    default:
      return signInByPassword(visit, password);
  }
}

/** The domain alone decides where to: whether there is an account is not looked up. */
async function goOnWithAddress(visit: Visit): Promise<PageOutcome> {
  const { email, phone } = readContact(visit.app.config, visit.address);
  if (email === '' && phone === '') throw apiError('contactMissing');
  await keepTyped(visit);
  const company = await findCompany(visit);
  return { to: company === undefined ? otherWaysLink(visit) : atCompanyLink(visit, company.provider) };
}

async function signInByPassword(visit: Visit, password: string): Promise<PageOutcome> {
  const { app, client, audience } = visit;
  try {
    const contact = readContact(app.config, visit.address);
    const tokens = await signInWithPassword(app, client, { ...contact, password, audience });
    return { to: pageLink(visit, 'continue'), secret: await keepSignIn(visit, tokens) };
  } catch (error) {
    // The password was right. Without another code there would be no way on.
    if (error instanceof ApiError && error.entry === 'emailNotConfirmed') return confirmFirst(visit);
    throw error;
  }
}

async function confirmFirst(visit: Visit): Promise<PageOutcome> {
  try {
    return await repeatConfirmation(visit);
  } catch (error) {
    // One was sent a moment ago.
    if (error instanceof ApiError && error.status === 429) return noteSent(visit, 'signup');
    throw error;
  }
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
