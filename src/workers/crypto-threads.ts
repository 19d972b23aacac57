import { once } from 'node:events';
import { Piscina } from 'piscina';
import type { JwsAlgorithm, SigningKey } from '../jws/algorithms.js';
import { ThreadChannel } from './thread-channel.js';
import {
  type CryptoPoolOptions,
  type CryptoThreadSetup,
  JOB_SEPARATOR,
  type OneTimeCodeParts,
  type ProofThreadSetup,
  type SamlThreadSetup,
  type ServedChannel,
  type WalletThreadSetup,
  type WebAuthnThreadSetup,
} from './wire.js';

const MAX_HEAP_MB = 64;
/** A hash job leaves little garbage; a token leaves 7 kB, which at 8 MB means thirty collections a second. */
const YOUNG_MB = { hash: 8, sign: 24, webauthn: 8, dpop: 8, saml: 16, wallet: 8 } as const;

/** Exports of crypto.worker.ts. */
type Task = 'warmHashing' | 'hashPassword' | 'verifyPassword';
/** Tasks of threads that start with their first job. */
type LateTask =
  | 'warmWebAuthn'
  | 'checkRegistration'
  | 'checkAssertion'
  | 'checkProof'
  | 'checkClientAssertion'
  | 'verifySamlResponse'
  | 'examineSamlResponse'
  | 'verifySamlLogout'
  | 'peekSamlMessage'
  | 'signSaml'
  | 'readSamlMetadata'
  | 'checkWallet';
type LateRole = (WebAuthnThreadSetup | ProofThreadSetup | SamlThreadSetup | WalletThreadSetup)['role'];
/** Tasks of its signing threads. */
type BatchTask = 'signJwts' | 'hashOneTimeCodes' | 'useSigningKey';

/** The key that signs until another one is named. */
export function firstSigningKey({ jwtSecret, jwtKeyId, signingKey }: CryptoPoolOptions): SigningKey {
  const k = Buffer.from(jwtSecret).toString('base64url');
  return signingKey ?? { alg: 'HS256', kid: jwtKeyId, jwk: { kty: 'oct', k } };
}

/** The Piscina pools and their number of running jobs. */
export class CryptoThreads {
  lost = 0;
  /** Ending a thread inside the portable argon2 aborts the process, so close() waits for zero. */
  #inFlight = 0;
  #whenOneSettles: (() => void)[] = [];
  readonly #hashing: Piscina;
  readonly #signing: Piscina;
  /** Started by the first job of their kind, since the libraries take up to 20 MB and most servers do not use them. */
  readonly #late = new Map<LateRole, Piscina>();
  /** One per signing thread. */
  readonly #channels: readonly ThreadChannel[];
  /** Ids of the threads that have loaded their modules, or start with a job that others wait for. */
  readonly #loaded = new Set<number>();
  #isEnding = false;
  #signingKey: SigningKey;

  constructor(options: CryptoPoolOptions) {
    const { hashThreads, signThreads, argon2, engine, jwtSecret } = options;
    this.#signingKey = firstSigningKey(options);
    this.#hashing = this.#start(hashThreads, { role: 'hash', argon2, engine });
    this.#signing = this.#start(signThreads, { role: 'sign', jwtSecret });
    this.#channels = Array.from(
      { length: signThreads },
      () =>
        new ThreadChannel((port) => {
          // A thread that replaces another one starts with the key of that moment.
          const served: ServedChannel = { port, signingKey: this.#signingKey };
          return this.#signing.run(served, { name: 'serveBatches', transferList: [port] });
        }),
    );
  }

  hash<T>(task: Task, job: unknown): Promise<T> {
    return this.#track(this.#hashing.run(job, { name: task }));
  }

  late<T>(role: LateRole, task: LateTask, job: unknown): Promise<T> {
    const pool = this.#late.get(role) ?? this.#start(1, { role });
    this.#late.set(role, pool);
    return this.#track(pool.run(job, { name: task }));
  }

  /** @param payloads JSON texts of claims. @returns their tokens */
  async signJwts(payloads: readonly string[]): Promise<string[]> {
    const tokens = (await this.#sign('signJwts', payloads.join(JOB_SEPARATOR))) as string;
    return tokens.split(JOB_SEPARATOR);
  }

  hashOneTimeCodes(codes: readonly OneTimeCodeParts[]): Promise<string[]> {
    return this.#sign('hashOneTimeCodes', codes) as Promise<string[]>;
  }

  #sign(task: BatchTask, jobs: unknown): Promise<unknown> {
    const shortest = this.#channels.reduce((best, channel) => (channel.length < best.length ? channel : best));
    return this.#track(shortest.send({ task, jobs }));
  }

  get algorithm(): JwsAlgorithm {
    return this.#signingKey.alg;
  }

  /** Messages arrive in order, so batches that are sent later are signed with the new key. */
  async useSigningKey(key: SigningKey): Promise<void> {
    this.#signingKey = key;
    await Promise.all(this.#channels.map((channel) => this.#track(channel.send({ task: 'useSigningKey', jobs: key }))));
  }

  async warmSigning(): Promise<void> {
    await Promise.all(this.#channels.map((channel) => this.#track(channel.send({ task: 'signJwts', jobs: '{}' }))));
  }

  /** Ends the threads after their last job. */
  async end(): Promise<void> {
    while (this.#inFlight > 0) await this.nextSettled();
    this.#isEnding = true;
    const pools = [this.#hashing, this.#signing, ...this.#late.values()];
    await Promise.all(pools.flatMap((pool) => pool.threads.map((thread) => this.#waitUntilLoaded(thread))));
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  /**
   * One that replaces a lost thread may still be loading its modules, and ending it there aborts the process (Node 20.20: FATAL
   * ERROR from v8::Module::IsGraphAsync).
   */
  async #waitUntilLoaded(thread: Piscina['threads'][number]): Promise<void> {
    if (this.#loaded.has(thread.threadId)) return;
    thread.ref();
    // Piscina's first message says that it has loaded; one that fails to load exits.
    await Promise.race([once(thread, 'message'), once(thread, 'exit')]).catch(() => undefined);
  }

  #start(threads: number, setup: CryptoThreadSetup): Piscina {
    const pool = new Piscina({
      filename: new URL('./crypto.worker.js', import.meta.url).href,
      minThreads: threads,
      maxThreads: threads,
      // A second job inside the thread would gain 1 to 2 % of throughput, but die with the first (REL-10).
      concurrentTasksPerWorker: 1,
      // Without it a task without a free thread goes to the back of the queue: the longest wait is 302 ms instead of 5.
      // The gate orders password jobs anyway, except while a thread is being replaced.
      stricterFIFO: true,
      // By default Piscina blocks the thread between jobs, so that its event loop never runs and Node never frees what
      // native modules return: each digest would leak 300 bytes, 1 GB a day at 45 sign-ins a second.
      atomics: 'disabled',
      // Its histograms are not used; the tasks measure themselves.
      recordTiming: false,
      workerData: setup,
      // Crypto threads need no environment, and flags of the main thread (loaders) only slow them down.
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB, maxYoungGenerationSizeMb: YOUNG_MB[setup.role] },
    });
    // An idle thread that dies is replaced; without a listener the event would end the process.
    pool.on('error', () => undefined);
    pool.on('workerCreate', ({ id }: { id: number }) => this.#loaded.add(id));
    pool.on('workerDestroy', () => {
      if (!this.#isEnding) this.lost += 1;
    });
    return pool;
  }

  /** Resolves when the next job has settled; at once when none is running. */
  async nextSettled(): Promise<void> {
    if (this.#inFlight === 0) return;
    await new Promise<void>((resolve) => {
      this.#whenOneSettles.push(resolve);
    });
  }

  /** Counted instead of kept in a Set, which would retain the tokens of all batches (http/linked-list.ts). */
  #track<T>(running: Promise<T>): Promise<T> {
    this.#inFlight += 1;
    running.then(this.#settle, this.#settle);
    return running;
  }

  readonly #settle = (): void => {
    this.#inFlight -= 1;
    for (const resolve of this.#whenOneSettles.splice(0)) resolve();
  };
}
