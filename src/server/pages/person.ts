import type { UserRow } from '../../db/user-rows.js';
import type { Visit } from './visit.js';

/** How pages name the owner of an account: by the address, else the number. */
export const nameOfPerson = (
  { words }: Pick<Visit, 'words'>,
  { email, phone }: Pick<UserRow, 'email' | 'phone'>,
): string => email ?? (phone === null ? words('chooser.guest') : `+${phone}`);
