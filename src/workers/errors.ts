import { ExpectedError } from '../expected-error.js';

/** No hash job can be taken now. The HTTP room turns the code into 503 with Retry-After. */
export class CryptoPoolFullError extends ExpectedError {
  readonly code = 'CRYPTO_POOL_FULL';

  /** @param retryAfterSeconds when the jobs waiting now will be done, whole seconds, at least 1 */
  constructor(
    message: string,
    readonly retryAfterSeconds: number,
  ) {
    super(message);
    this.name = 'CryptoPoolFullError';
  }
}
