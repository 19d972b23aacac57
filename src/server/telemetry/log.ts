import { hostname } from 'node:os';
import pino from 'pino';
import { FLUSH_MS, type LogTarget, openLogFile } from './log-file.js';

/** A logger that writes one JSON object per line. */
export type Log = Pick<pino.Logger, 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'isLevelEnabled'> & {
  /**
   * Writes a line whose members are JSON text already, for the three lines of every refresh: with pino's own methods a
   * refresh takes a third more instructions.
   * @param members e.g. `,"component":"api","status":200`
   * @param message characters that need no escape
   */
  line(level: LineLevel, members: string, message: string): void;
  /** Several such lines in one write. */
  lines(level: LineLevel, list: readonly string[], message: string): void;
  /** Writes buffered lines out. Call it before the process ends. */
  flush(): void;
  /** Failed writes since the start, for metrics. */
  failures(): number;
};

type LineLevel = 'info' | 'warn' | 'error';

export interface LogOptions {
  /** panic, fatal, error, warn, info, debug or trace (LOG_LEVEL); panic is logged as fatal. */
  readonly level: string;
  /** File to append to. Standard error when it is empty, and while the file cannot be written. */
  readonly file: string;
  /** Coloured text in place of JSON, for a terminal. */
  readonly readable?: boolean;
}

/** Opens the log. It defaults to standard error because commands print their results on standard output. */
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
          onChange: (failure) => setImmediate(() => logFileChange(logger, options.file, failure)),
        });
  const timestamp = makeTimestamp();
  const base = { host: hostname() };
  // The level names of supabase/auth; pino-pretty needs pino's numbers.
  const nameOf = (label: string): string | number =>
    options.readable ? pino.levels.values[label]! : label === 'warn' ? 'warning' : label;
  const logger = pino(
    {
      level,
      base,
      timestamp,
      formatters: { level: (label) => ({ level: nameOf(label) }) },
    },
    destination,
  );
  const bindings = `,${JSON.stringify(base).slice(1, -1)}`;
  let startsAt = '';
  let starts: Partial<Record<LineLevel, string>> = {};
  // Joined, since each line would walk through a concatenation.
  const startOf = (label: LineLevel): string => {
    const time = timestamp();
    if (time !== startsAt) starts = {};
    startsAt = time;
    starts[label] ??= [`{"level":${JSON.stringify(nameOf(label))}`, time, bindings].join('');
    return starts[label];
  };
  const lines = (lineLevel: LineLevel, list: readonly string[], message: string): void => {
    if (!logger.isLevelEnabled(lineLevel)) return;
    const start = startOf(lineLevel);
    let text = '';
    for (const members of list) text += `${start}${members},"msg":"${message}"}\n`;
    destination.write(text);
  };
  return Object.assign(logger, {
    line: (lineLevel: LineLevel, members: string, message: string) => lines(lineLevel, [members], message),
    lines,
    flush: () => {
      try {
        destination.flushSync();
      } catch {
        // The target was not opened yet, or is gone: the failure cannot be reported.
      }
    },
    failures: () => failures,
  });
}

/** A string as JSON. Most logged strings need no escape, and the check is cheaper than JSON.stringify. */
export const quote = (text: string): string =>
  /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/.test(text) ? `"${text}"` : JSON.stringify(text);

/** pino's `time` member, cached: by the millisecond as a whole, by the second up to its fraction. */
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
      // toISOString() takes 2 µs, as much as the rest of a line.
      beginning = `,"time":"${new Date(now).toISOString().slice(0, -4)}`;
    }
    const milliseconds = now - second * 1000;
    text = `${beginning}${milliseconds < 10 ? '00' : milliseconds < 100 ? '0' : ''}${milliseconds}Z"`;
    return text;
  };
}

/** Limit of lines buffered while standard error is blocked; later ones are dropped. */
const MAX_BUFFERED_BYTES = 1_048_576;
/** The stream counts the bytes of all that it holds with each write, so it receives many lines in one. */
const CHUNK_CHARACTERS = 65_536;

/** A closed standard error must not end the process (REL-21), so failures are only counted. */
function standardError(onFailure: () => void): LogTarget {
  const stream = pino.destination({ dest: 2, maxLength: MAX_BUFFERED_BYTES, maxWrite: CHUNK_CHARACTERS, sync: false });
  stream.on('error', onFailure);
  stream.on('drop', onFailure);
  let chunk = '';
  let timer: NodeJS.Timeout | undefined;
  const passOn = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (chunk !== '') stream.write(chunk);
    chunk = '';
  };
  return {
    write(line) {
      chunk += line;
      if (chunk.length >= CHUNK_CHARACTERS) passOn();
      else timer ??= setTimeout(passOn, FLUSH_MS);
    },
    flushSync() {
      passOn();
      stream.flushSync();
    },
  };
}

function logFileChange(logger: pino.Logger, file: string, failure: NodeJS.ErrnoException | null): void {
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
