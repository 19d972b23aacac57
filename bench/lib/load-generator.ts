import type { LoadJob, LoadResult } from './load-process.js';
import { Worker } from './processes.js';
import type { Traffic } from './traffic.js';

/**
 * Every answer arrives in a buffer that only a collection gives back. With few of them, 64 MB of such buffers pile up four
 * times a second, which V8 ends with a full one, and the slowest refreshes took 10 ms instead of 7 for it.
 */
const FLAGS = ['--max-semi-space-size=4'];

/** Load generators, in processes of their own. */
export class LoadGenerator {
  readonly #plain = start();
  /** Apart, because it reads answers in another way (cannon-client.ts): one compiled for both is slower at either. */
  readonly #chain = start();

  /** @throws what {@link Worker.run} does */
  run(job: LoadJob, timeoutSeconds: number): Promise<LoadResult> {
    return this.#workerFor(job.traffic).run(job, timeoutSeconds);
  }

  end(): void {
    this.#plain.end();
    this.#chain.end();
  }

  #workerFor(traffic: Traffic): Worker<LoadJob, LoadResult> {
    return traffic === 'refresh' ? this.#chain : this.#plain;
  }
}

const start = () => new Worker<LoadJob, LoadResult>(new URL('./load-process.js', import.meta.url), FLAGS);
