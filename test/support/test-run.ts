/** What the programs that run test files share (run.ts, stress.ts): Postgres, signals, and the order of the files. */
import { constants } from 'node:os';
import { FilePool, type FilePoolOptions, type FileResult } from './file-pool.js';
import { ADMIN_URL_VARIABLE, startTestServer, TEMPLATE_VARIABLE, type TestServer } from './postgres.js';
import { prepareRsaKeys } from './rsa-keys.js';
import { hasOwnProcess, PHASES, phaseOf, TREE_ROOT } from './test-files.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface RunOptions extends Pick<FilePoolOptions, 'jobs' | 'readTimeoutSeconds' | 'environmentOf' | 'waits'> {
  /** Each file has a process of its own. Default: as the files say. */
  readonly isolates?: boolean;
  /** Runs beside all files but those that measure time. @returns what ends it */
  readonly startBeside?: () => { end(): Promise<void> };
}

export class TestRun {
  #received: NodeJS.Signals | undefined;
  #pool: FilePool | undefined;

  /** Notices signals from now on, so that one counts while Postgres starts, too. */
  constructor() {
    for (const signal of SIGNALS) {
      process.on(signal, () => {
        this.#received = signal;
        this.#pool?.stop(signal);
      });
    }
  }

  /** A signal has ended the run. */
  get isEnded(): boolean {
    return this.#received !== undefined;
  }

  /** Of the program. */
  exitCode(isGood: boolean): number {
    return this.#received === undefined ? Number(!isGood) : 128 + constants.signals[this.#received];
  }

  /** @returns the Postgres that the files share, and the variables by which they find it. Exits when a signal ends its start. */
  async startPostgres(
    options: Parameters<typeof startTestServer>[0] = {},
  ): Promise<{ readonly server: TestServer; readonly variables: Readonly<Record<string, string>> }> {
    const starting = startTestServer(options).catch((error: unknown) => {
      // Ctrl-C ends initdb too, which needs no explanation.
      if (!this.isEnded) throw error;
      process.exit(this.exitCode(false));
    });
    const [server] = await Promise.all([starting, prepareRsaKeys()]);
    return { server, variables: { [ADMIN_URL_VARIABLE]: server.adminUrl, [TEMPLATE_VARIABLE]: server.template } };
  }

  /** Runs files; those that measure time come last (test-files.ts). @param onResult called as each file ends */
  async runFiles(
    files: readonly string[],
    { jobs, isolates = false, startBeside, ...options }: RunOptions,
    onResult: (result: FileResult) => void,
  ): Promise<void> {
    for (const phase of PHASES) {
      if (this.isEnded) return;
      this.#pool = new FilePool({
        ...options,
        jobs: phase === 'one' ? 1 : jobs,
        cwd: TREE_ROOT,
        sharesProcess: (file) => !isolates && phase === 'many' && !hasOwnProcess(file),
      });
      const batch = files.filter((file) => phaseOf(file) === phase);
      if (batch.length === 0) continue;
      const beside = phase === 'many' ? startBeside?.() : undefined;
      await this.#pool.run(batch, onResult);
      await beside?.end();
    }
  }
}
