/**
 * What NODE_OPTIONS must be for a process whose clock is ahead by so many seconds (behind: a negative number), in all of
 * its threads. Monotonic clocks and timers go on as they are, as with a machine whose time of day is wrong.
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
