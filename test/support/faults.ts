/** Environment that makes the real binary fail on SIGUSR2. */
export function faultEnvironment(fault: 'rejection' | 'exception' | `thread-${'rejection' | 'exception' | 'exit'}`) {
  return {
    NODE_OPTIONS: `--import=${new URL('./faults/on-signal.js', import.meta.url).href}`,
    LATCHKEY_TEST_FAULT: fault,
  };
}
