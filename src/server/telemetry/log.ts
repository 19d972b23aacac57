import { hostname } from 'node:os';
import pino from 'pino';

/** One JSON object a line. pino itself escapes control characters inside values. */
export type Log = Pick<pino.Logger, 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'isLevelEnabled'> & {
  /** Writes out what is buffered; call before the process ends. */
  flush(): void;
};

export interface LogOptions {
  /** panic, fatal, error, warn, info or debug (service.md, LOG_LEVEL). panic is this runtime's fatal. */
  readonly level: string;
  /** Path of a file to append to; empty: standard error. */
  readonly file: string;
  /** Colours and one readable line, for a person at a terminal. */
  readonly readable?: boolean;
}

/** Opens the log. Lines go to standard error, so that standard output stays free for what commands print. */
export async function openLog(options: LogOptions): Promise<Log> {
  const level = options.level === 'panic' ? 'fatal' : options.level;
  const destination = options.readable
    ? await readableDestination(options.file)
    : // A line waits at most 100 ms in memory: one write a line would cost more than the request it reports.
      pino.destination({
        dest: options.file || 2,
        mkdir: true,
        minLength: 4096,
        sync: false,
        periodicFlush: 100,
        mode: 0o660,
      });
  const logger = pino(
    {
      level,
      base: { host: hostname() },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      // The names operators' tools know (reference/operations.md 6); the readable log has its own.
      ...(options.readable
        ? {}
        : { formatters: { level: (label) => ({ level: label === 'warn' ? 'warning' : label }) } }),
    },
    destination,
  );
  return Object.assign(logger, {
    flush: () => {
      try {
        destination.flushSync();
      } catch {
        // Nothing was opened yet, or the target is gone: there is nowhere left to say so.
      }
    },
  });
}

async function readableDestination(file: string): Promise<pino.DestinationStream & { flushSync(): void }> {
  const { default: pretty } = await import('pino-pretty');
  const stream = pretty({
    destination: file || 2,
    sync: true,
    ignore: 'pid,hostname,host',
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
  });
  return Object.assign(stream, { flushSync: () => {} });
}
