import type { UserRow } from '../../db/user-rows.js';
import { html, type Markup } from '../../html.js';
import type { Visit } from './visit.js';

/** How pages name the owner of an account: by the address, else the number. */
export const nameOfPerson = (
  { words }: Pick<Visit, 'words'>,
  { email, phone }: Pick<UserRow, 'email' | 'phone'>,
): string => email ?? (phone === null ? words('chooser.guest') : `+${phone}`);

/**
 * The same as markup: an address reads from left to right in every language, and breaks before an @ and after
 * dots where it is too long for a line.
 */
export function markName(visit: Pick<Visit, 'words'>, account: Pick<UserRow, 'email' | 'phone'>): Markup {
  const name = nameOfPerson(visit, account);
  if (account.email === null) return account.phone === null ? html`${name}` : html`<bdi dir="ltr">${name}</bdi>`;
  const parts = name.split(/(?<=\.)|(?=@)/);
  return html`<bdi dir="ltr">${parts.map((part, index) => (index === 0 ? html`${part}` : html`<wbr>${part}`))}</bdi>`;
}
