import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** Ends by itself when the process that started it is gone. */
const LOOP = 'const parent = process.ppid; while (process.ppid === parent);';

/** Processes that do nothing but take processor time, as other work on the machine would. */
export class BusyLoops {
  readonly #loops: readonly ChildProcess[];

  /** @param count how many processors are loaded in full */
  constructor(count: number) {
    this.#loops = Array.from({ length: count }, () => spawn(process.execPath, ['-e', LOOP], { stdio: 'ignore' }));
  }

  /** Resolves when the processes have ended. */
  async end(): Promise<void> {
    const ends = this.#loops.map(async (loop) => {
      if (loop.exitCode !== null || loop.signalCode !== null) return;
      const end = once(loop, 'exit');
      loop.kill('SIGKILL');
      await end;
    });
    await Promise.all(ends);
  }
}
