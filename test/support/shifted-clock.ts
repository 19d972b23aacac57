/**
 * NODE_OPTIONS for a process whose clock is ahead by some seconds (negative: behind) in all of
 * its threads. Monotonic clocks and timers are unchanged, as on a machine with a wrong time of day.
 */
export function shiftClock(seconds: number): string {
  const script = `
    const Real = Date;
    const now = () => Real.now() + ${seconds * 1000};
    globalThis.Date = class Date extends Real {
      constructor(...parts) {
        super(...(parts.length === 0 ? [now()] : parts));
      }
      static now() {
        return now();
      }
    };`;
  return `--import=data:text/javascript,${encodeURIComponent(script)}`;
}
