/** What a person types to say who they are: an email address or a phone number. */

import type { Markup } from '../../html.js';
import type { Config } from '../config/settings.js';
import { pageLinkTarget } from '../page-link.js';
import { field, isFieldWrong } from './form.js';
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
    isFieldWrong(visit),
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
