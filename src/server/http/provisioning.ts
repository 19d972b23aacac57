import type { ApiError } from '../errors.js';
import type { Exchange } from './exchange.js';
import type { Answer } from './reply.js';
import { scimErrorBody } from './scim-error.js';
import type { ProvisioningAnswer } from './types.js';

/** Passes on what the holder of a token of provisioning was answered. Without a token no one is concerned. */
export function tellProvisioned(
  { errorForm, request }: Pick<Exchange, 'errorForm' | 'request'>,
  { status, headers }: Answer,
  error: ApiError | undefined,
  tell: ((answer: ProvisioningAnswer) => void) | undefined,
): void {
  if (errorForm !== 'scim' || request === null || request.caller === undefined || tell === undefined) return;
  const at = headers.indexOf('Location');
  const refusal = error === undefined ? null : scimErrorBody(error);
  tell({ request, status, location: at < 0 ? undefined : headers[at + 1], refusal });
}
