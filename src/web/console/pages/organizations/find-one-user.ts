import { ApiFault, pathWith, send } from '../../core/api.js';
import type { User } from '../../core/user.js';

/**
 * The account with exactly this address, number or id.
 * @throws ApiFault
 */
export async function findOneUser(given: string): Promise<User> {
  const text = given.trim().toLowerCase();
  const { data } = await send<{ readonly users: readonly User[] }>('GET', pathWith('/api/users', { q: text }));
  const phone = text.replace(/^\+/, '');
  const found = data.users.find(({ id, email, phone: number }) => id === text || email === text || number === phone);
  if (found === undefined) throw new ApiFault(404, 'user_not_found', 'No account has this address, number or id.');
  return found;
}
