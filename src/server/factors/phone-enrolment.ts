import { normalisePhone } from '../accounts/addresses.js';
import { apiError } from '../errors.js';
import type { EnrolmentRequest, PreparedFactor } from './contract.js';

/**
 * Sends nothing: the first challenge does. The number need not be the one of the account.
 * @throws ApiError factorPhoneRequired, phoneInvalid
 */
export function enrolPhone(id: string, { phone }: EnrolmentRequest): PreparedFactor {
  if (phone === '') throw apiError('factorPhoneRequired');
  return { stored: { id, kind: 'phone', phone: normalisePhone(phone) }, answer: { phone } };
}
