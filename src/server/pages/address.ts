/** What a person types to say who they are: an email address or a phone number. */

import type { Markup } from '../../html.js';
import type { Config } from '../config/settings.js';
import type { ErrorName } from '../errors.js';
import { pageLinkTarget } from '../mail/page-link.js';
import { field } from './form.js';
import type { Visit } from './visit.js';

export interface Contact {
  readonly email: string;
  readonly phone: string;
}

/** Text with digits only, and what people put between them, is a number where numbers can sign in. */
export function readContact({ externalPhoneEnabled }: Pick<Config, 'externalPhoneEnabled'>, text: string): Contact {
  const trimmed = text.trim();
  const isPhone = externalPhoneEnabled && /^\+?[\d\s().-]{5,}$/.test(trimmed);
  return isPhone ? { email: '', phone: trimmed.replace(/[\s().-]/g, '') } : { email: trimmed, phone: '' };
}

const ADDRESS_FAULTS: ReadonlySet<ErrorName> = new Set([
  'emailInvalid',
  'phoneInvalid',
  'emailAddressInvalid',
  'contactMissing',
  'otpContactMissing',
  'recoveryEmailRequired',
  'emailAlreadyRegistered',
  'phoneAlreadyRegistered',
]);
const PASSWORD_FAULTS: ReadonlySet<ErrorName> = new Set(['passwordRequired', 'passwordTooLong', 'weakPassword']);

/** Which fields of a sign-in or sign-up an error is about. A refused sign-in does not say which of both is wrong. */
export function findWrongFields({ error }: Pick<Visit, 'error'>): { address: boolean; password: boolean } {
  const isEither = error?.entry === 'invalidLogin';
  const isOneOf = (faults: ReadonlySet<ErrorName>) => error !== null && (isEither || faults.has(error.entry));
  return { address: isOneOf(ADDRESS_FAULTS), password: isOneOf(PASSWORD_FAULTS) };
}

/**
 * The field for it, with what was typed before.
 * @param isEmailOnly numbers cannot be used here
 */
export function addressField(
  visit: Visit,
  autocomplete: 'username' | 'username webauthn',
  isEmailOnly = false,
): Markup {
  const { app, words, address } = visit;
  const takesPhone = app.config.externalPhoneEnabled && !isEmailOnly;
  const value = isEmailOnly && !address.includes('@') ? '' : address;
  return field(
    'address',
    words(takesPhone ? 'common.address_or_phone' : 'common.address'),
    {
      type: takesPhone ? 'text' : 'email',
      inputmode: 'email',
      autocomplete,
      autocapitalize: 'none',
      spellcheck: 'false',
      value,
      required: true,
      maxlength: '320',
      ...(value === '' && { autofocus: true as const }),
    },
    findWrongFields(visit).address,
  );
}

/** What the rules that send something need beside the address. */
export const sendingOf = ({ app, audience, flow }: Visit) => ({
  // The pages end with their own auth code, so the link of a mail needs none.
  codeChallenge: '',
  codeChallengeMethod: '',
  audience,
  redirectTo: pageLinkTarget(app.config, flow.id),
});
