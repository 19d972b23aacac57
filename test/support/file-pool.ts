/**
 * Runs test files, many of them one after the other in one process, the others each in its own. docs/decisions.md, Test runner:
 * why not `tap run` or `node --test`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { FileGroup } from './file-group.js';
import { NO_FILE } from './group-protocol.js';
import { readCounts, readCpuSeconds, readEmpty, readSkips } from './tap-output.js';

export interface FilePoolOptions {
  /** How many files run at a time. */
  readonly jobs: number;
  /** Of a file, read when it starts, and of each test that sets no time limit of its own; it is ended after three times that. */
  readonly readTimeoutSeconds: () => number;
  readonly cwd: string;
  readonly environmentOf: (file: string) => Readonly<Record<string, string>>;
  /** Whether a file may run in a process that has run others. Absent: none may. */
  readonly sharesProcess?: (file: string) => boolean;
  /** Whether a file waits more than it computes. One in three runs beside others that compute, as long as there are both. */
  readonly waits?: (file: string) => boolean;
}

export interface FileResult {
  readonly file: string;
  readonly isGood: boolean;
  /** Tests that could not run on this machine, each with the reason; for a whole file the reason alone. */
  readonly skipped: readonly string[];
  readonly passed: number;
  readonly failed: number;
  readonly seconds: number;
  /** Processor time of the file and of the processes that it waited for; undefined if it was ended. */
  readonly cpuSeconds: number | undefined;
  /** Standard output, and why the file was ended if it did not end by itself. */
  readonly output: string;
}

/** From a signal to SIGKILL. */
const GRACE_MS = 5000;
/** What a process keeps of its files (modules, caches, listeners) is bounded. */
const MOST_FILES_OF_PROCESS = 140;
/** How many files the end of a run names as those that took most processor time. */
const COSTLIEST_SHOWN = 20;
/** Runs a program, which does not get descriptor 3, and writes there what it took: Node knows its own share only. */
const METERED = '"$@" 3>&-; code=$?; times >&3; exit $code';

/** Renders which files took most processor time: time on a clock depends on what else the machine does. */
export function renderCosts(
  results: readonly Pick<FileResult, 'file' | 'cpuSeconds'>[],
  postgresSeconds: number | undefined,
): string {
  const costs = results.map(({ file, cpuSeconds = 0 }) => ({ file, cpuSeconds }));
  const sum = costs.reduce((all, { cpuSeconds }) => all + cpuSeconds, 0);
  const most = costs.toSorted((a, b) => b.cpuSeconds - a.cpuSeconds).slice(0, COSTLIEST_SHOWN);
  const lines = most.map(({ file, cpuSeconds }) => `  ${cpuSeconds.toFixed(1)} s ${file}\n`);
  const postgres = postgresSeconds === undefined ? '' : `, Postgres ${postgresSeconds.toFixed(0)} s`;
  return `\nProcessor time: files ${sum.toFixed(0)} s${postgres}. Most:\n${lines.join('')}`;
}

/**
 * Says whether a run has shown what it was to show. Skipped tests are listed and fail nothing; a run of no file shows nothing.
 * @param failed tests of all files, and what was found wrong beside them
 */
export function isGoodRun(results: readonly Pick<FileResult, 'passed' | 'skipped'>[], failed: number): boolean {
  return failed === 0 && results.some(({ passed, skipped }) => passed > 0 || skipped.length > 0);
}

/** Renders the end of a run: failed files, skipped tests, and the counts as the last line, which programs read. */
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

/** Which files a lane takes first; one that only waits ends when no other file does. */
type Lane = 'computing' | 'waiting' | 'only waiting';

function laneOf(index: number): Lane {
  if (index === 1) return 'waiting';
  return index % 3 === 1 ? 'only waiting' : 'computing';
}

/** Runs files until all are done or `stop` is called. */
export class FilePool {
  readonly #running = new Set<ChildProcess>();
  /** What failed in processes after their last file. */
  readonly #late: FileResult[] = [];
  #isStopped = false;
  readonly #options: FilePoolOptions;

  constructor(options: FilePoolOptions) {
    this.#options = options;
  }

  /** @param onResult called as each file ends */
  async run(files: readonly string[], onResult: (result: FileResult) => void): Promise<void> {
    const rest = [...files];
    const { jobs, waits = () => false } = this.#options;
    const take = (lane: Lane): string | undefined => {
      const index = rest.findIndex((file) => waits(file) === (lane !== 'computing'));
      if (index < 0 && lane === 'only waiting') return undefined;
      return rest.splice(Math.max(index, 0), 1)[0];
    };
    const run = async (lane: Lane): Promise<void> => {
      const groups = new Map<string, FileGroup>();
      for (let file = take(lane); file !== undefined && !this.#isStopped; file = take(lane)) {
        onResult(await (this.#options.sharesProcess?.(file) ? this.#runShared(file, groups) : this.#runFile(file)));
      }
      await Promise.all([...groups.values()].map((group) => this.#endGroup(group)));
    };
    await Promise.all(Array.from({ length: jobs }, (_, index) => run(laneOf(index))));
    for (const result of this.#late.splice(0)) onResult(result);
  }

  /** Sends a signal to the running files and to the processes they started; starts no further file. */
  stop(signal: NodeJS.Signals): void {
    this.#isStopped = true;
    for (const child of this.#running) end(child, signal);
  }

  async #runFile(file: string): Promise<FileResult> {
    const { readTimeoutSeconds, cwd, environmentOf } = this.#options;
    const timeoutSeconds = readTimeoutSeconds();
    const startMs = performance.now();
    const child = spawn('sh', ['-c', METERED, 'sh', process.execPath, '--enable-source-maps', file], {
      cwd,
      // Standard error is shown at once: warnings, and the progress of long tests.
      stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
      // A process group of its own, so that a signal also reaches the processes it started.
      detached: true,
      env: { ...process.env, TAP: '1', TAP_TIMEOUT: String(timeoutSeconds), ...environmentOf(file) },
    });
    this.#running.add(child);
    let [output, times] = ['', ''];
    (child.stdio[3] as Readable).setEncoding('utf8').on('data', (text: string) => {
      times += text;
    });
    child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    const unwatch = watch(child, timeoutSeconds);
    const code = await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? 'SIGTERM']));
    });
    this.#running.delete(child);
    return judge({
      file,
      path: join(cwd, file),
      code,
      counts: readCounts(output),
      output: output + unwatch(),
      seconds: (performance.now() - startMs) / 1000,
      cpuSeconds: readCpuSeconds(times),
    });
  }

  /** @param groups of the lane, by the environment of their files */
  async #runShared(file: string, groups: Map<string, FileGroup>): Promise<FileResult> {
    const { readTimeoutSeconds, cwd, environmentOf } = this.#options;
    const timeoutSeconds = readTimeoutSeconds();
    const startMs = performance.now();
    const environment = environmentOf(file);
    const key = JSON.stringify(environment);
    let group = groups.get(key);
    if (group !== undefined && !group.isUsable) await this.#endGroup(group);
    if (group === undefined || !group.isUsable) {
      group = new FileGroup(cwd, { ...process.env, ...environment });
      groups.set(key, group);
      this.#running.add(group.child);
    }
    const unwatch = watch(group.child, timeoutSeconds);
    const { output, report } = await group.run({ file: join(cwd, file), timeoutSeconds });
    if (report === undefined) end(group.child, 'SIGTERM');
    if (!group.isUsable || report === undefined || group.count >= MOST_FILES_OF_PROCESS) {
      groups.delete(key);
      await this.#endGroup(group);
    }
    return judge({
      file,
      path: join(cwd, file),
      code: report?.failed === 0 ? 0 : 1,
      counts: report,
      output: output.replace(/^ {4}/gm, '') + unwatch(),
      seconds: (performance.now() - startMs) / 1000,
      cpuSeconds: report?.cpuSeconds,
    });
  }

  async #endGroup(group: FileGroup): Promise<void> {
    const { output, report } = await group.end();
    if (report !== undefined && report.failed > 0) {
      this.#late.push({ ...report, file: NO_FILE, isGood: false, skipped: [], seconds: 0, output });
    }
    // What its files have left running.
    end(group.child, 'SIGTERM');
    this.#running.delete(group.child);
  }
}

interface Ended extends Pick<FileResult, 'file' | 'seconds' | 'cpuSeconds'> {
  /** Of the file, absolute. */
  readonly path: string;
  /** Exit code of the process; of a shared one, 1 when an assertion failed. */
  readonly code: number;
  /** Undefined: the file did not come to its end. */
  readonly counts: { readonly passed: number; readonly failed: number } | undefined;
  /** What tap printed, not indented. */
  readonly output: string;
}

/** A file is good when it came to its end, something in it passed or was skipped, and each of its tests asserts something. */
function judge({ file, path, code, counts, output, seconds, cpuSeconds }: Ended): FileResult {
  const [skipped, empty] = [readSkips(output, path), readEmpty(output)];
  const faults = [
    ...(counts === undefined ? ['the file ended before its tests did'] : []),
    ...empty.map((title) => `a test without an assertion: ${title}`),
  ];
  const isGood = code === 0 && counts?.failed === 0 && empty.length === 0 && (counts.passed > 0 || skipped.length > 0);
  const lines = faults.map((fault) => `\nnot ok - ${fault}\n`).join('');
  return {
    file,
    isGood,
    skipped,
    passed: counts?.passed ?? 0,
    failed: isGood ? 0 : Math.max(counts?.failed ?? 0, 1),
    seconds,
    cpuSeconds,
    output: code === 0 ? output + lines : `${output}${lines}# exit code ${code}\n`,
  };
}

/** Ends a process whose file takes three times the time of a test. @returns what ends the watch, and says whether it had to */
function watch(child: ChildProcess, timeoutSeconds: number): () => string {
  const fileSeconds = 3 * timeoutSeconds;
  let reason = '';
  const timer = setTimeout(() => {
    reason = `\nnot ok - ended after ${fileSeconds} s\n`;
    end(child, 'SIGTERM');
  }, fileSeconds * 1000);
  return () => {
    clearTimeout(timer);
    return reason;
  };
}

function end(child: ChildProcess, signal: NodeJS.Signals): void {
  const send = (what: NodeJS.Signals): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, what);
    } catch {
      // The whole group has ended.
    }
  };
  send(signal);
  setTimeout(() => send('SIGKILL'), GRACE_MS).unref();
}
