/** A process that runs test files one after the other (run-group.ts), from outside. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type FileReport, type FileRequest, REPORT } from './group-protocol.js';

const program = fileURLToPath(new URL('./run-group.js', import.meta.url));

const REST_MS = 1000;

export interface GroupOutcome {
  /** What tap printed for the file. */
  readonly output: string;
  /** Undefined: the process has ended before the file did. */
  readonly report: FileReport | undefined;
}

export class FileGroup {
  readonly child: ChildProcess;
  /** Files that it has run. */
  count = 0;
  #output = '';
  #settle: ((outcome: GroupOutcome) => void) | undefined;
  /** What came between two files. */
  #early: GroupOutcome | undefined;
  #isEnded = false;

  /** @param environment of the process, for all of its files */
  constructor(cwd: string, environment: Readonly<Record<string, string | undefined>>) {
    this.child = spawn(process.execPath, ['--enable-source-maps', program], {
      cwd,
      // Standard error is shown at once: warnings, and the progress of long tests.
      stdio: ['pipe', 'pipe', 'inherit'],
      // A process group of its own, so that a signal also reaches the processes it started.
      detached: true,
      // Tests have limits, the process has none.
      env: { ...environment, TAP: '1', TAP_TIMEOUT: '0' },
    });
    this.child.stdin!.on('error', () => undefined);
    this.child.stdout!.setEncoding('utf8').on('data', (text: string) => this.#read(text));
    this.child.once('exit', () => void this.#readRest());
  }

  /** Whether it can run another file. */
  get isUsable(): boolean {
    return !this.#isEnded;
  }

  /** Runs a file; the one before has ended. Never rejects. */
  run(request: FileRequest): Promise<GroupOutcome> {
    this.count += 1;
    const outcome = this.#awaitReport();
    if (this.#isEnded) this.#settle?.(this.#early ?? { output: '', report: undefined });
    else this.child.stdin!.write(`${JSON.stringify(request)}\n`);
    return outcome;
  }

  /** Ends the process once it has nothing more to do. @returns what failed after its last file */
  async end(): Promise<GroupOutcome> {
    if (this.#isEnded) return this.#early ?? { output: '', report: undefined };
    const outcome = this.#awaitReport();
    this.child.stdin!.end();
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'exit');
    return outcome;
  }

  #awaitReport(): Promise<GroupOutcome> {
    return new Promise((resolve) => {
      this.#settle = (outcome) => {
        this.#settle = undefined;
        resolve(outcome);
      };
    });
  }

  /** What it printed may still be on its way, but a process that it left may hold the pipe. */
  async #readRest(): Promise<void> {
    const { stdout } = this.child;
    const isRead = stdout!.readableEnded ? undefined : once(stdout!, 'end');
    await Promise.race([isRead, pause(REST_MS, undefined, { ref: false })]);
    this.#isEnded = true;
    this.#settle?.({ output: this.#output, report: undefined });
  }

  #read(text: string): void {
    this.#output += text;
    for (;;) {
      const at = this.#output.indexOf(`\n# ${REPORT}`);
      const end = at < 0 ? -1 : this.#output.indexOf('\n', at + 1);
      if (end < 0) return;
      const report = JSON.parse(this.#output.slice(at + `\n# ${REPORT}`.length, end)) as FileReport;
      const outcome = { output: this.#output.slice(0, at + 1), report };
      this.#output = this.#output.slice(end + 1);
      this.#isEnded ||= report.endsProcess;
      if (this.#settle === undefined) this.#early = outcome;
      else this.#settle(outcome);
    }
  }
}
