/** A circuit breaker (REL-12): after so many failures in a row calls fail at once; after a pause one call probes. */
export const FAILURES_TO_OPEN = 5;
export const OPEN_SECONDS = 30;

export interface Breaker {
  /** Calls fail at once, or the next one probes. */
  isOpen(): boolean;
  /** Seconds until a call may be tried; 0: now. */
  waitSeconds(): number;
  /**
   * Runs one call.
   * @throws BreakerOpenError without running it; else whatever the call throws
   */
  run<T>(call: () => Promise<T>): Promise<T>;
}

export class BreakerOpenError extends Error {
  readonly waitSeconds: number;

  constructor(waitSeconds: number, failures = FAILURES_TO_OPEN) {
    super(`not tried: the last ${failures} tries failed`);
    this.waitSeconds = waitSeconds;
    this.name = 'BreakerOpenError';
  }
}

export interface BreakerOptions {
  /** Default {@link FAILURES_TO_OPEN}. */
  readonly failuresToOpen?: number;
  /** Default {@link OPEN_SECONDS}. */
  readonly openSeconds?: number;
  /** False for an error that concerns this call only. */
  readonly isFailure: (error: unknown) => boolean;
  readonly onChange: (isOpen: boolean) => void;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

export function makeBreaker({
  isFailure,
  onChange,
  now,
  failuresToOpen = FAILURES_TO_OPEN,
  openSeconds = OPEN_SECONDS,
}: BreakerOptions): Breaker {
  let failures = 0;
  let openUntil = 0;
  let isProbing = false;
  const isOpen = () => failures >= failuresToOpen;

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
    isOpen,
    waitSeconds,
    async run(call) {
      const wait = waitSeconds();
      if (wait > 0) throw new BreakerOpenError(wait, failuresToOpen);
      const isProbe = isOpen();
      if (isProbe) isProbing = true;
      try {
        const result = await call();
        close();
        return result;
      } catch (error) {
        if (isFailure(error)) {
          failures++;
          // Calls that were in flight when it opened do not prolong the pause.
          if (isProbe || failures === failuresToOpen) openUntil = now() + openSeconds * 1000;
          if (failures === failuresToOpen) onChange(true);
        } else if (isProbe) close();
        throw error;
      } finally {
        if (isProbe) isProbing = false;
      }
    },
  };
}
