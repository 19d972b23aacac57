/**
 * Runs test files, each a process of its own. `tap run` would do the same, but it loads a hook into every process and its
 * children that keeps account of what they import: 0.3 s of processor time each, for a coverage nobody asks for, and in
 * the servers under test, too.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';

export interface FilePace {
  /** How many files run at a time. */
  readonly jobs: number;
  /** How long a test may take that says nothing else; a file is ended after three times that. */
  readonly timeoutSeconds: number;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
}

export interface FileResult {
  readonly file: string;
  readonly isGood: boolean;
  /** Its tests that could not run here, each with the reason; a whole file is its reason alone. */
  readonly skipped: readonly string[];
  readonly passed: number;
  readonly failed: number;
  readonly seconds: number;
  /** All it printed on standard output, and what ended it when that was not itself. */
  readonly output: string;
}

const SIGNAL_PATIENCE_MS = 5000;

/** What tap prints last in a file: `# { total: 7, pass: 3, fail: 4 }`. @returns undefined when it is not there */
export function readCounts(output: string): { passed: number; failed: number } | undefined {
  const totals = output.match(/^# \{ total: \d.*$/gm)?.at(-1);
  if (totals === undefined) return undefined;
  const count = (name: string): number => Number(new RegExp(`\\b${name}: (\\d+)`).exec(totals)?.[1] ?? 0);
  return { passed: count('pass'), failed: count('fail') };
}

/** Reads `ok 3 - title # SKIP reason` at any depth, and the plan of a file without tests: `1..0 # reason`. */
export function readSkips(output: string): string[] {
  const tests = [...output.matchAll(/^ *ok \d+ - (.*?) # SKIP(?: (\S.*?))?\s*$/gm)];
  const file = /^1\.\.0 # (?:skip )?(\S.*)$/im.exec(output)?.[1];
  return [
    ...tests.map(([, title, reason]) => (reason === undefined ? title! : `${title}: ${reason}`)),
    ...(file === undefined ? [] : [file]),
  ];
}

/** @returns the titles of tests that ended well without having asserted anything, which tap lets pass */
export function readEmpty(output: string): string[] {
  return [...output.matchAll(/^( *) {4}1\.\.0\n\1ok \d+ - (.*?)(?: # time=.*)?$/gm)].map(([, , title]) => title!);
}

/**
 * What a run ends with: the files that failed, the tests that were skipped, and a last line of counts alone, which
 * programs read.
 */
export function renderEnd(
  results: readonly Pick<FileResult, 'file' | 'isGood' | 'skipped'>[],
  { passed, failed }: { readonly passed: number; readonly failed: number },
): string {
  const failing = results.filter(({ isGood }) => !isGood).map(({ file }) => `  ${file}\n`);
  const skipped = results.flatMap(({ file, skipped }) => skipped.map((reason) => `  ${file}: ${reason}\n`));
  return [
    ...(failing.length === 0 ? [] : [`\nFailed:\n${failing.join('')}`]),
    ...(skipped.length === 0 ? [] : [`\n${skipped.length} skipped:\n${skipped.join('')}`]),
    `\n${passed} passed, ${failed} failed\n`,
  ].join('');
}

/** Runs files until all are done or it is told to stop. */
export class FilePool {
  readonly #running = new Set<ChildProcess>();
  #isStopped = false;

  constructor(private readonly pace: FilePace) {}

  /** @param onResult called as each file ends */
  async run(files: readonly string[], onResult: (result: FileResult) => void): Promise<void> {
    const waiting = [...files];
    const lane = async (): Promise<void> => {
      for (let file = waiting.shift(); file !== undefined && !this.#isStopped; file = waiting.shift()) {
        onResult(await this.#runFile(file));
      }
    };
    await Promise.all(Array.from({ length: this.pace.jobs }, lane));
  }

  /** Passes a signal to the files that run and to what they have started; begins no other. */
  stop(signal: NodeJS.Signals): void {
    this.#isStopped = true;
    for (const child of this.#running) end(child, signal);
  }

  async #runFile(file: string): Promise<FileResult> {
    const { timeoutSeconds, cwd, environment } = this.pace;
    const startMs = performance.now();
    const child = spawn(process.execPath, ['--enable-source-maps', file], {
      cwd,
      // What is said on standard error is to be seen at once: warnings, and how far a long test has come.
      stdio: ['ignore', 'pipe', 'inherit'],
      // A group of its own, so that a signal reaches what it has started, too.
      detached: true,
      env: { ...process.env, TAP: '1', TAP_TIMEOUT: String(timeoutSeconds), ...environment },
    });
    this.#running.add(child);
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    const fileSeconds = 3 * timeoutSeconds;
    const watchdog = setTimeout(() => {
      output += `\nnot ok - ended after ${fileSeconds} s\n`;
      end(child, 'SIGTERM');
    }, fileSeconds * 1000);
    const code = await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? 'SIGTERM']));
    });
    clearTimeout(watchdog);
    this.#running.delete(child);
    const counts = readCounts(output);
    if (counts === undefined) output += '\nnot ok - it ended before its tests did\n';
    const [skipped, empty] = [readSkips(output), readEmpty(output)];
    for (const title of empty) output += `\nnot ok - it asserts nothing: ${title}\n`;
    const isGood =
      code === 0 && counts?.failed === 0 && empty.length === 0 && (counts.passed > 0 || skipped.length > 0);
    return {
      file,
      isGood,
      skipped,
      passed: counts?.passed ?? 0,
      failed: isGood ? 0 : Math.max(counts?.failed ?? 0, 1),
      seconds: (performance.now() - startMs) / 1000,
      output: code === 0 ? output : `${output}# exit code ${code}\n`,
    };
  }
}

function end(child: ChildProcess, signal: NodeJS.Signals): void {
  const send = (what: NodeJS.Signals): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, what);
    } catch {
      // All of them are gone already.
    }
  };
  send(signal);
  setTimeout(() => send('SIGKILL'), SIGNAL_PATIENCE_MS).unref();
}
