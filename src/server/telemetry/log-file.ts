/** A log file that survives rotation, removal and a full disk (REL-21). */
import { close, fstat, mkdirSync, open, openSync, type PathLike, stat, write, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** Destination of log lines. */
export interface LogTarget {
  write(line: string): void;
  /** Writes buffered lines; called when the process ends. */
  flushSync(): void;
}

export interface LogFileOptions {
  readonly path: string;
  /** Receives the lines while the file cannot be written. */
  readonly fallback: LogTarget;
  /** Called once when writing starts to fail, and once when it works again (`null`). */
  readonly onChange: (failure: NodeJS.ErrnoException | null) => void;
  /** Called for each failed write. */
  readonly onFailure: () => void;
}

/** Longest time that a line is buffered: a write per line costs more than the request it reports. */
export const FLUSH_MS = 100;
/** For a busy server: Node writes in another thread, and waking it a hundred times a second costs 2 % of throughput. */
const FLUSH_BYTES = 262_144;
/** Short lines are copied into a page together: the call costs as much as copying one. */
const CHUNK_CHARACTERS = 8192;
/** Lines are copied into pages: as strings they would be moved by every garbage collection until they are flushed. */
const PAGE_BYTES = 2 * FLUSH_BYTES;
const MAX_BYTES_PER_CHARACTER = 3;
/** Read and write for owner and group. */
const MODE = 0o660;
/** Interval of the checks for rotation, and of retries after a failure. */
export const CHECK_MS = 1000;

/** Opens the file. A failure is reported like a failed write, and never thrown. */
export function openLogFile(options: LogFileOptions): LogTarget {
  const file = new LogFile(options);
  return { write: (line) => file.write(line), flushSync: () => file.flushSync() };
}

class LogFile {
  #descriptor: number | null = null;
  /** Lines that are not in a page yet. */
  #chunk = '';
  #page: Buffer<ArrayBufferLike> = Buffer.allocUnsafeSlow(PAGE_BYTES);
  #pageUsed = 0;
  /** Full pages that wait for the current write. */
  #fullPages: Buffer<ArrayBufferLike>[] = [];
  #sparePage: Buffer<ArrayBuffer> | undefined;
  /** A write is in progress. */
  #isWriting = false;
  #timer: NodeJS.Timeout | undefined;
  /** The oldest buffered line has waited FLUSH_MS. */
  #isDue = false;
  #hasFailed = false;
  #checkedAt = 0;
  private readonly options: LogFileOptions;

  constructor(options: LogFileOptions) {
    this.options = options;
    try {
      mkdirSync(dirname(options.path), { recursive: true });
      this.#descriptor = openSync(options.path, 'a', MODE);
    } catch (error) {
      this.#fail(error as NodeJS.ErrnoException);
    }
    this.#checkedAt = performance.now();
  }

  write(line: string): void {
    this.#chunk += line;
    if (this.#chunk.length >= CHUNK_CHARACTERS) this.#copyChunk();
    if (this.#mustWrite) void this.#drain();
    else this.#waitForMore();
  }

  #copyChunk(): void {
    const chunk = this.#chunk;
    this.#chunk = '';
    const mostBytes = chunk.length * MAX_BYTES_PER_CHARACTER;
    if (mostBytes > PAGE_BYTES - this.#pageUsed) this.#turnPage();
    if (mostBytes > PAGE_BYTES) this.#fullPages.push(Buffer.from(chunk));
    else this.#pageUsed += this.#page.write(chunk, this.#pageUsed);
  }

  get #mustWrite(): boolean {
    return this.#isDue || this.#pageUsed >= FLUSH_BYTES || this.#fullPages.length > 0;
  }

  #waitForMore(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#isDue = true;
      void this.#drain();
    }, FLUSH_MS);
  }

  flushSync(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#copyChunk();
    this.#turnPage();
    for (const bytes of this.#fullPages.splice(0)) {
      try {
        if (this.#descriptor === null) throw new Error('not open');
        writeWhole(this.#descriptor, bytes);
      } catch {
        this.options.fallback.write(bytes.toString('utf8'));
      }
    }
    this.options.fallback.flushSync();
  }

  #turnPage(): void {
    if (this.#pageUsed === 0) return;
    this.#fullPages.push(this.#page.subarray(0, this.#pageUsed));
    this.#page = this.#sparePage ?? Buffer.allocUnsafeSlow(PAGE_BYTES);
    this.#sparePage = undefined;
    this.#pageUsed = 0;
  }

  /** Lines that arrive during a write wait for the next one, else a busy server would write without a pause. */
  async #drain(): Promise<void> {
    if (this.#isWriting) return;
    this.#isWriting = true;
    try {
      while (this.#mustWrite) {
        clearTimeout(this.#timer);
        this.#timer = undefined;
        this.#isDue = false;
        this.#copyChunk();
        this.#turnPage();
        while (this.#fullPages.length > 0) await this.#writeOut(this.#fullPages.shift()!);
      }
    } finally {
      this.#isWriting = false;
    }
    if (this.#pageUsed > 0 || this.#chunk !== '') this.#waitForMore();
  }

  async #writeOut(page: Buffer<ArrayBufferLike>): Promise<void> {
    let rest = page;
    try {
      await this.#checkPath();
      if (this.#descriptor === null) {
        this.options.fallback.write(rest.toString('utf8'));
        return;
      }
      while (rest.length > 0) rest = rest.subarray(await writeSome(this.#descriptor, rest));
      this.#recover();
    } catch (error) {
      this.#fail(error as NodeJS.ErrnoException);
      this.options.fallback.write(rest.toString('utf8'));
    } finally {
      if (page.buffer.byteLength === PAGE_BYTES) this.#sparePage = Buffer.from(page.buffer as ArrayBuffer);
    }
  }

  /** Reopens the path when the file there is another one or missing: it was rotated or removed. */
  async #checkPath(): Promise<void> {
    const now = performance.now();
    if (now - this.#checkedAt < CHECK_MS) return;
    this.#checkedAt = now;
    if (this.#descriptor !== null && (await isSameFile(this.#descriptor, this.options.path))) return;
    const opened = await openFile(this.options.path);
    if (this.#descriptor !== null) close(this.#descriptor, () => undefined);
    this.#descriptor = opened;
  }

  #fail(error: NodeJS.ErrnoException): void {
    this.options.onFailure();
    if (this.#descriptor !== null) close(this.#descriptor, () => undefined);
    this.#descriptor = null;
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.options.onChange(error);
  }

  #recover(): void {
    if (!this.#hasFailed) return;
    this.#hasFailed = false;
    this.options.onChange(null);
  }
}

function writeWhole(descriptor: number, bytes: Buffer): void {
  let rest = bytes;
  while (rest.length > 0) rest = rest.subarray(writeSync(descriptor, rest));
}

function writeSome(descriptor: number, bytes: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    write(descriptor, bytes, (error, written) => (error ? reject(error) : resolve(written)));
  });
}

/** The directory is not created again: it may be a mount that is temporarily missing. */
function openFile(path: PathLike): Promise<number> {
  return new Promise((resolve, reject) => {
    open(path, 'a', MODE, (error, descriptor) => (error ? reject(error) : resolve(descriptor)));
  });
}

function isSameFile(descriptor: number, path: PathLike): Promise<boolean> {
  return new Promise((resolve) => {
    fstat(descriptor, (fault, held) => {
      if (fault) return resolve(false);
      stat(path, (error, there) => resolve(!error && there.ino === held.ino && there.dev === held.dev));
    });
  });
}
