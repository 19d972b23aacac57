/** How far another clock is ahead of this machine's. */
export interface ClockOffset {
  readonly seconds: number;
  readonly uncertainSeconds: number;
}

/** The Date header has whole seconds (RFC 9110 6.6.1). */
export const DATE_RESOLUTION_SECONDS = 1;

const MILLISECONDS = 1000;

/**
 * @param read seconds since the epoch by the other clock
 * @param resolution of that clock, in seconds
 * @throws what `read` throws
 */
export async function measureClock(read: () => Promise<number>, resolution: number): Promise<ClockOffset> {
  const before = Date.now() / MILLISECONDS;
  const other = await read();
  const after = Date.now() / MILLISECONDS;
  return {
    seconds: other + resolution / 2 - (before + after) / 2,
    uncertainSeconds: (after - before + resolution) / 2,
  };
}

/** @returns the Date header in seconds since the epoch. @throws Error without one */
export function readDateHeader(headers: Readonly<Record<string, string>>): number {
  const date = Date.parse(headers['date'] ?? '');
  if (Number.isNaN(date)) throw new Error('the answer has no Date header');
  return date / MILLISECONDS;
}
