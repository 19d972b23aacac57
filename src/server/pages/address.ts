/** What a person types to say who they are: an email address or a phone number. */
import type { Config } from '../config/settings.js';
import type { TextKey } from './contract.js';

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

export const addressLabel = ({ externalPhoneEnabled }: Pick<Config, 'externalPhoneEnabled'>): TextKey =>
  externalPhoneEnabled ? 'common.address_or_phone' : 'common.address';
