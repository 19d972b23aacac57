/** A log that keeps its lines in memory. */
export interface KeptLog {
  readonly lines: string[];
  debug(...args: unknown[]): void;
  info(...args: unknown[]): void;
  warn(...args: unknown[]): void;
  error(...args: unknown[]): void;
}

export function keepLog(): KeptLog {
  const lines: string[] = [];
  const keep =
    (level: string) =>
    (...args: unknown[]): void =>
      void lines.push(JSON.stringify([level, ...args]));
  return { lines, debug: keep('debug'), info: keep('info'), warn: keep('warn'), error: keep('error') };
}
