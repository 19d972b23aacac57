import { hostname } from 'node:os';
import pino from 'pino';
import { type LogTarget, openLogFile } from './log-file.js';

/** One JSON object a line. pino itself escapes control characters inside values. */
export type Log = Pick<pino.Logger, 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'isLevelEnabled'> & {
  /**
   * Writes a line whose members are JSON text already: for the lines every request has, at a third of what pino takes.
   * @param members e.g. `,"component":"api","status":200`
   * @param message plain characters, nothing to escape
   */
  line(level: LineLevel, members: string, message: string): void;
  /** Several such lines in one piece. */
  lines(level: LineLevel, list: readonly string[], message: string): void;
  /** Writes out what is buffered; call before the process ends. */
  flush(): void;
  /** Writes that failed since the start, for metrics. */
  failures(): number;
};

type LineLevel = 'info' | 'warn' | 'error';

export interface LogOptions {
  /** panic, fatal, error, warn, info, debug or trace (service.md, LOG_LEVEL). panic is this runtime's fatal. */
  readonly level: string;
  /** Path of a file to append to; empty, or while the file takes nothing: standard error. */
  readonly file: string;
  /** Colours and one readable line, for a person at a terminal. */
  readonly readable?: boolean;
}

/** Opens the log. Lines go to standard error, so that standard output stays free for what commands print. */
export async function openLog(options: LogOptions): Promise<Log> {
  const level = options.level === 'panic' ? 'fatal' : options.level;
  let failures = 0;
  const onFailure = (): void => {
    failures += 1;
  };
  const destination: LogTarget = options.readable
    ? await readableDestination(options.file)
    : options.file === ''
      ? standardError(onFailure)
      : openLogFile({
          path: options.file,
          fallback: standardError(onFailure),
          onFailure,
          // Through the logger, so that it is a line like all others.
          onChange: (failure) => setImmediate(() => tellChange(logger, options.file, failure)),
        });
  const timestamp = makeTimestamp();
  const logger = pino(
    {
      level,
      base: { host: hostname() },
      timestamp,
      // The names operators' tools know (reference/operations.md 6); the readable log has its own.
      ...(options.readable
        ? {}
        : { formatters: { level: (label) => ({ level: label === 'warn' ? 'warning' : label }) } }),
    },
    destination,
  );
  const { begins, bindings } = readBeginnings(logger);
  const lines = (lineLevel: LineLevel, list: readonly string[], message: string): void => {
    if (!logger.isLevelEnabled(lineLevel)) return;
    let text = '';
    for (const members of list) text += `${begins[lineLevel]}${timestamp()}${bindings}${members},"msg":"${message}"}\n`;
    destination.write(text);
  };
  return Object.assign(logger, {
    line: (lineLevel: LineLevel, members: string, message: string) => lines(lineLevel, [members], message),
    lines,
    flush: () => {
      try {
        destination.flushSync();
      } catch {
        // Nothing was opened yet, or the target is gone: there is nowhere left to say so.
      }
    },
    failures: () => failures,
  });
}

/** What pino itself begins each line with, so that both kinds of lines look alike. */
function readBeginnings(logger: pino.Logger): { begins: Record<LineLevel, string>; bindings: string } {
  const inside = logger as unknown as Record<symbol, unknown>;
  const begins = inside[pino.symbols.lsCacheSym] as Record<number, string>;
  const beginOf = (level: LineLevel): string => begins[pino.levels.values[level]!]!;
  return {
    begins: { info: beginOf('info'), warn: beginOf('warn'), error: beginOf('error') },
    bindings: inside[pino.symbols.chindingsSym] as string,
  };
}

/** A string as JSON. Most of what is logged holds nothing to escape, and a look is cheaper than JSON.stringify. */
export const quote = (text: string): string =>
  /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/.test(text) ? `"${text}"` : JSON.stringify(text);

/** pino's `time` member. Lines of one millisecond share its text, those of one second its beginning. */
function makeTimestamp(): () => string {
  let lastMs = 0;
  let lastSecond = 0;
  let beginning = '';
  let text = '';
  return () => {
    const now = Date.now();
    if (now === lastMs) return text;
    lastMs = now;
    const second = Math.floor(now / 1000);
    if (second !== lastSecond) {
      lastSecond = second;
      // toISOString() takes 2 µs, as much as all the rest of a line.
      beginning = `,"time":"${new Date(now).toISOString().slice(0, -4)}`;
    }
    const milliseconds = now - second * 1000;
    text = `${beginning}${milliseconds < 10 ? '00' : milliseconds < 100 ? '0' : ''}${milliseconds}Z"`;
    return text;
  };
}

/** Memory for lines that standard error does not take; what comes after is dropped. */
const MOST_BYTES_HELD = 1_048_576;

/** A reader that has gone away must not end the process (REL-21), so a failure is counted, and that is all. */
function standardError(onFailure: () => void): LogTarget {
  // A line waits at most 100 ms in memory: one write a line would cost more than the request it reports.
  const stream = pino.destination({
    dest: 2,
    minLength: 16_000,
    maxLength: MOST_BYTES_HELD,
    sync: false,
    periodicFlush: 100,
  });
  stream.on('error', onFailure);
  stream.on('drop', onFailure);
  return stream;
}

function tellChange(logger: pino.Logger, file: string, failure: NodeJS.ErrnoException | null): void {
  const fields = { component: 'log', file };
  if (failure === null) logger.info(fields, 'The log file takes lines again');
  else {
    const words = 'The log file of AUTH_LOG_FILE cannot be written: lines go to standard error until it can';
    logger.error({ ...fields, error_cause_code: failure.code }, words);
  }
}

async function readableDestination(file: string): Promise<LogTarget> {
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
