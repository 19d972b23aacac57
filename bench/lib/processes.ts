/** Child processes of a run. Whatever ends the run ends them. */
import { type ChildProcess, fork, type SpawnOptions, spawn } from 'node:child_process';

const children = new Set<ChildProcess>();

/** Starts a program that ends when the run does. */
export function startProgram(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  return keep(spawn(command, args, options));
}

function keep(child: ChildProcess): ChildProcess {
  children.add(child);
  child.once('exit', () => children.delete(child));
  child.once('error', () => children.delete(child));
  return child;
}

/** For the way out: nothing started here outlives the run. */
export function killAll(): void {
  for (const child of children) child.kill('SIGKILL');
}

/** @returns the exit code, or the signal's name */
export function exitOf(child: ChildProcess): Promise<number | string> {
  if (child.exitCode !== null) return Promise.resolve(child.exitCode);
  if (child.signalCode !== null) return Promise.resolve(child.signalCode);
  return new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal ?? 'unknown')));
}

/** A child that does jobs: one message with the job, one with the answer. */
export class Worker<Job extends object, Answer> {
  readonly pid: number;
  readonly #child: ChildProcess;

  /**
   * @param entry module that calls {@link serveJobs}
   * @param flags of node, beside those of this process
   */
  constructor(entry: URL, flags: readonly string[] = []) {
    this.#child = keep(
      fork(entry, {
        serialization: 'advanced',
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
        execArgv: [...process.execArgv, ...flags],
      }),
    );
    this.pid = this.#child.pid ?? 0;
  }

  /** @param timeoutSeconds the job fails and the child is ended when it takes longer */
  async run(job: Job, timeoutSeconds: number): Promise<Answer> {
    const child = this.#child;
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<Answer>((resolve, reject) => {
        const fail = (why: string) => reject(new Error(`A process of the bench ${why}`));
        timer = setTimeout(() => {
          child.kill('SIGKILL');
          fail(`took more than ${timeoutSeconds} s`);
        }, timeoutSeconds * 1000);
        const onExit = (code: number | null, signal: string | null) => fail(`ended early (${code ?? signal})`);
        child.once('exit', onExit);
        child.once('message', (message: { answer: Answer } | { error: string }) => {
          child.off('exit', onExit);
          if ('error' in message) fail(`failed: ${message.error}`);
          else resolve(message.answer);
        });
        child.send(job);
      });
    } finally {
      clearTimeout(timer);
    }
  }

  end(): void {
    this.#child.disconnect();
  }
}

/** The other side of {@link Worker}: does one job after another until the parent is gone. */
export function serveJobs<Job, Answer>(work: (job: Job) => Promise<Answer>): void {
  process.on('message', (job: Job) => {
    work(job).then(
      (answer) => process.send?.({ answer }),
      (error: Error) => process.send?.({ error: error.stack ?? String(error) }),
    );
  });
  process.on('disconnect', () => process.exit());
  // Ctrl-C reaches the whole group; the parent decides when each process ends.
  process.on('SIGINT', () => undefined);
}
