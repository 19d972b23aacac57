type Fault = 'rejection' | 'exception' | `thread-${'rejection' | 'exception' | 'exit'}`;

/** Environment that makes the real binary fail on SIGUSR2. @param faults one a signal; the last one stays */
export function faultEnvironment(...faults: readonly [Fault, ...Fault[]]) {
  return {
    NODE_OPTIONS: `--import=${new URL('./faults/on-signal.js', import.meta.url).href}`,
    LATCHKEY_TEST_FAULT: faults.join(),
  };
}

/**
 * Environment that keeps a server thread of the real binary from starting.
 * @param thread its number, from 1, or `every`
 */
export function startFaultEnvironment(fault: 'throws' | 'throws-late' | 'exits', thread: '1' | '2' | 'every') {
  return {
    NODE_OPTIONS: `--import=${new URL('./faults/at-start.js', import.meta.url).href}`,
    LATCHKEY_TEST_FAULT: fault,
    LATCHKEY_TEST_THREAD: thread,
  };
}
