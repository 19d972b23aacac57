/** REL-12: after so many failures in a row nothing is tried for a while; then one call finds out, the others wait. */
export const FAILURES_TO_OPEN = 5;
export const OPEN_SECONDS = 30;

export interface Breaker {
  /** Seconds until a call may be tried; 0: now. */
  waitSeconds(): number;
  /**
   * Runs one call.
   * @throws BreakerOpenError without running it; else whatever the call throws
   */
  run<T>(call: () => Promise<T>): Promise<T>;
}

export class BreakerOpenError extends Error {
  constructor(readonly waitSeconds: number) {
    super(`not tried: the last ${FAILURES_TO_OPEN} tries failed`);
    this.name = 'BreakerOpenError';
  }
}

export interface BreakerOptions {
  /** False: the other side works, and said no to this one call. */
  readonly isFailure: (error: unknown) => boolean;
  readonly onChange: (isOpen: boolean) => void;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}

export function makeBreaker({ isFailure, onChange, now }: BreakerOptions): Breaker {
  let failures = 0;
  let openUntil = 0;
  let isProbing = false;
  const isOpen = () => failures >= FAILURES_TO_OPEN;

  const close = (): void => {
    const wasOpen = isOpen();
    failures = 0;
    if (wasOpen) onChange(false);
  };
  const waitSeconds = (): number => {
    if (!isOpen()) return 0;
    return isProbing ? 1 : Math.max(0, Math.ceil((openUntil - now()) / 1000));
  };
  return {
    waitSeconds,
    async run(call) {
      const wait = waitSeconds();
      if (wait > 0) throw new BreakerOpenError(wait);
      const isProbe = isOpen();
      if (isProbe) isProbing = true;
      try {
        const result = await call();
        close();
        return result;
      } catch (error) {
        if (isFailure(error)) {
          failures++;
          // Calls that were already under way when it opened do not prolong it.
          if (isProbe || failures === FAILURES_TO_OPEN) openUntil = now() + OPEN_SECONDS * 1000;
          if (failures === FAILURES_TO_OPEN) onChange(true);
        } else if (isProbe) close();
        throw error;
      } finally {
        if (isProbe) isProbing = false;
      }
    },
  };
}
