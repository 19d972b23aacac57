import { isUniqueViolation } from '../../db/errors.js';
import { findAddressHolders } from '../../db/users.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';

/** supabase/auth has one error for users and one for administrators. */
type PhoneTaken = 'phoneExists' | 'phoneRegistered';

/** @throws ApiError emailExists, `phoneTaken` if another account than `userId` has the address */
export async function assertAddressesFree(
  { db }: Pick<App, 'db'>,
  userId: string,
  { email, phone }: { readonly email: string | null; readonly phone: string | null },
  phoneTaken: PhoneTaken,
): Promise<void> {
  if (email === null && phone === null) return;
  const holders = await findAddressHolders(db, userId, email, phone);
  if (holders.email_taken) throw apiError('emailExists');
  if (holders.phone_taken) throw apiError(phoneTaken);
}

/**
 * Runs a write. The unique index decides between concurrent changes to one address.
 * @throws ApiError emailExists, `phoneTaken`
 */
export async function catchTakenAddress<Result>(phoneTaken: PhoneTaken, write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw apiError(isUniqueViolation(error, 'users_phone_key') ? phoneTaken : 'emailExists');
  }
}
