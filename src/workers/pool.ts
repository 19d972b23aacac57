import { Piscina } from 'piscina';
import { Batcher } from '../batching/batcher.js';
import { CryptoPoolFullError } from './errors.js';
import { HashGate, type HashPlace } from './hash-gate.js';
import { MessageLine } from './message-line.js';
import { parseStoredHash } from './tasks/stored-hash.js';
import type {
  CryptoPool,
  CryptoPoolOptions,
  HashThreadSetup,
  OneTimeCodeParts,
  PasswordCheck,
  PasswordHashing,
  SignThreadSetup,
  Timed,
} from './wire.js';

export { CryptoPoolFullError } from './errors.js';

/**
 * A thread that creeps past its heap limit ends alone, but one that passes it with a single large string takes the
 * process with it (Node 20.20: FATAL ERROR from ValueSerializer). So nothing large is handed over (REL-10).
 */
const MOST_CLAIM_CHARACTERS = 1_048_576;

/** About 1 ms of signing. */
const MOST_BATCHED_JOBS = 256;
/** Some 20 MB of heap in the thread at most, all copies counted; its limit is MOST_HEAP_MB. */
const MOST_BATCHED_CHARACTERS = 1_048_576;

const MOST_HEAP_MB = 64;
/** A hash job leaves little behind; a token leaves 7 kB, and at 8 MB the thread collects thirty times a second. */
const YOUNG_MB = { hash: 8, sign: 24 } as const;

/** Names of what crypto.worker.ts exports. */
type Task = 'warmHashing' | 'hashPassword' | 'verifyPassword';
/** Names of what its signing threads do for their lines. */
type BatchTask = 'signJwts' | 'hashOneTimeCodes';

/**
 * Starts the crypto threads: one group for passwords, one for signing, because a signature that shares a thread with
 * hashing waits 40 to 170 ms. Resolves when every thread has worked once.
 * @throws when a thread cannot start, for example because the engine asked for does not load
 */
export async function openCryptoPool(options: CryptoPoolOptions): Promise<CryptoPool> {
  const threads = new CryptoThreads(options);
  try {
    const { hashThreads } = options;
    const [warmed] = await Promise.all([
      Promise.all(Array.from({ length: hashThreads }, () => threads.hash<Timed<string>>('warmHashing', null))),
      threads.warmSigning(),
    ]);
    const milliseconds = Math.min(...warmed.map((thread) => thread.milliseconds));
    const gate = new HashGate(hashThreads, options.maxQueuedHashes, milliseconds);
    return makePool(threads, gate, options.signThreads, warmed[0]!.value);
  } catch (error) {
    await threads.end();
    throw error;
  }
}

function makePool(threads: CryptoThreads, gate: HashGate, signThreads: number, engine: string): CryptoPool {
  const bounds = { lanes: signThreads, mostJobs: MOST_BATCHED_JOBS, mostCharacters: MOST_BATCHED_CHARACTERS };
  const jwts = new Batcher<string, string>({
    ...bounds,
    send: (batch) => threads.sign('signJwts', batch),
    countCharacters: (payload) => payload.length,
  });
  const codes = new Batcher<OneTimeCodeParts, string>({
    ...bounds,
    send: (batch) => threads.sign('hashOneTimeCodes', batch),
    countCharacters: (parts) => parts.join('').length,
  });
  let isClosing = false;
  let closed: Promise<void> | undefined;

  function assertOpen(): void {
    if (isClosing) throw closingError();
  }

  const hashing = (place?: HashPlace): PasswordHashing => ({
    async hashPassword(password) {
      assertOpen();
      return gate.pass(() => threads.hash<Timed<string>>('hashPassword', password), place);
    },
    async verifyPassword(password, hash, decoyKind = null) {
      assertOpen();
      return gate.pass(() => threads.hash<Timed<PasswordCheck>>('verifyPassword', [password, hash, decoyKind]), place);
    },
  });

  return {
    ...hashing(),
    async withHashPlace(work) {
      assertOpen();
      return gate.withPlace((place) => work(hashing(place)));
    },
    isUsableHash: (hash) => parseStoredHash(hash) !== null,
    // Not async: a promise in a promise takes three more turns of the microtask queue, for every token.
    signJwt(payload) {
      if (isClosing) return Promise.reject(closingError());
      if (payload.length > MOST_CLAIM_CHARACTERS) {
        return Promise.reject(new RangeError('The claims of an access token exceed 1 MiB.'));
      }
      return jwts.add(payload);
    },
    async hashOneTimeCode(purpose, recipient, code) {
      assertOpen();
      return codes.add([purpose, recipient, code]);
    },
    stats: () => ({
      engine,
      hashThreads: gate.threads,
      hashesRunning: gate.running,
      hashesQueued: gate.queued,
      hashesRefused: gate.refused,
      hashesPerSecond: gate.jobsPerSecond,
      signaturesQueued: jwts.queued,
      threadsLost: threads.lost,
    }),
    close() {
      isClosing = true;
      closed ??= drain(threads, gate, [jwts, codes]).then(() => threads.end());
      return closed;
    },
  };
}

const closingError = () => new CryptoPoolFullError('The crypto pool is closing.', 1);

async function drain(threads: CryptoThreads, gate: HashGate, batchers: readonly { isIdle: boolean }[]): Promise<void> {
  // A job that comes back lets the next one go, so ask again.
  while (gate.running + gate.queued > 0 || batchers.some(({ isIdle }) => !isIdle)) {
    await threads.nextSettled();
  }
}

/** The two Piscina pools, and how many jobs are in flight in them. */
class CryptoThreads {
  lost = 0;
  /** Ending a thread inside the portable argon2 aborts the process, so close() waits until there are none. */
  #inFlight = 0;
  #whenOneSettles: (() => void)[] = [];
  readonly #hashing: Piscina;
  readonly #signing: Piscina;
  /** One for each signing thread. */
  readonly #lines: readonly MessageLine[];
  #isEnding = false;

  constructor({ hashThreads, signThreads, argon2, engine, jwtSecret, jwtKeyId }: CryptoPoolOptions) {
    this.#hashing = this.#start(hashThreads, { role: 'hash', argon2, engine });
    this.#signing = this.#start(signThreads, { role: 'sign', jwtSecret, jwtKeyId });
    this.#lines = Array.from(
      { length: signThreads },
      () => new MessageLine((port) => this.#signing.run(port, { name: 'serveBatches', transferList: [port] })),
    );
  }

  hash<T>(task: Task, job: unknown): Promise<T> {
    return this.#track(this.#hashing.run(job, { name: task }));
  }

  sign(task: BatchTask, jobs: readonly unknown[]): Promise<string[]> {
    const shortest = this.#lines.reduce((best, line) => (line.length < best.length ? line : best));
    return this.#track(shortest.send({ task, jobs }) as Promise<string[]>);
  }

  async warmSigning(): Promise<void> {
    await Promise.all(this.#lines.map((line) => this.#track(line.send({ task: 'signJwts', jobs: ['{}'] }))));
  }

  /** Ends the threads. Call it when nothing is in flight. */
  async end(): Promise<void> {
    while (this.#inFlight > 0) await this.nextSettled();
    this.#isEnding = true;
    await Promise.all([this.#hashing.destroy(), this.#signing.destroy()]);
  }

  #start(threads: number, setup: HashThreadSetup | SignThreadSetup): Piscina {
    const pool = new Piscina({
      filename: new URL('./crypto.worker.js', import.meta.url).href,
      minThreads: threads,
      maxThreads: threads,
      // A second job waiting inside the thread gains 1 to 2 % of throughput, but would die with the first (REL-10).
      concurrentTasksPerWorker: 1,
      // Without it a task that finds no free thread goes to the back of the queue: longest wait 302 ms against 5. The
      // gate keeps password jobs in order by itself, except while a thread that died is being replaced.
      stricterFIFO: true,
      // By default Piscina has the thread wait for its next job without ever turning its loop, where Node frees what a native
      // module has handed out: each digest would leave 300 bytes behind, 1 GB a day at 45 sign-ins a second.
      atomics: 'disabled',
      // Its histograms; what is to be known is measured by the tasks themselves.
      recordTiming: false,
      workerData: setup,
      // Crypto threads need nothing from the environment, and flags of the main thread (loaders) only slow them.
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: MOST_HEAP_MB, maxYoungGenerationSizeMb: YOUNG_MB[setup.role] },
    });
    // An idle thread that dies is replaced; without a listener the event would end the process.
    pool.on('error', () => undefined);
    pool.on('workerDestroy', () => {
      if (!this.#isEnding) this.lost += 1;
    });
    return pool;
  }

  /** Resolves when one more job has come back; at once when none is in flight. */
  async nextSettled(): Promise<void> {
    if (this.#inFlight === 0) return;
    await new Promise<void>((resolve) => {
      this.#whenOneSettles.push(resolve);
    });
  }

  /** Counted, and not held in a set: the tokens of all batches would live until the next full collection (http/line.ts). */
  #track<T>(running: Promise<T>): Promise<T> {
    this.#inFlight += 1;
    running.then(this.#settle, this.#settle);
    return running;
  }

  readonly #settle = (): void => {
    this.#inFlight -= 1;
    for (const tell of this.#whenOneSettles.splice(0)) tell();
  };
}
