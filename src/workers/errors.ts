import { ExpectedError } from '../expected-error.js';

/** No hash job can be accepted now. asApiError() turns the code into 503 with Retry-After. */
export class CryptoPoolFullError extends ExpectedError {
  readonly code = 'CRYPTO_POOL_FULL';
  readonly retryAfterSeconds: number;

  /** @param retryAfterSeconds when the jobs waiting now will be done, whole seconds, at least 1 */
  constructor(message: string, retryAfterSeconds: number) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
    this.name = 'CryptoPoolFullError';
  }
}
