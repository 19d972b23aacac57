/** What crosses the line between a server thread and its crypto threads: plain data only. */

export interface Argon2Parameters {
  readonly memoryKiB: number;
  readonly iterations: number;
  readonly parallelism: number;
}

export interface CryptoPoolOptions {
  /** Threads that hash passwords. */
  readonly hashThreads: number;
  /** Threads that sign; 1 is right for HS256. */
  readonly signThreads: number;
  readonly argon2: Argon2Parameters;
  /** HMAC secret of access tokens, raw bytes of the string. */
  readonly jwtSecret: string;
  /** `kid` header of access tokens; empty: none. */
  readonly jwtKeyId: string;
  /** Most jobs that may wait for a hash thread; past that a job is refused at once. */
  readonly maxQueuedHashes: number;
  /** Which Argon2 build must run; unset: the accelerator where it loads, else the portable one. */
  readonly engine?: 'accelerator' | 'portable';
}

export interface PasswordCheck {
  readonly matches: boolean;
  /** A fresh hash when the password matched but the stored one is of a weaker or foreign kind, else null. */
  readonly renewedHash: string | null;
}

export interface CryptoPoolStats {
  /** Package that computes Argon2: `@node-rs/argon2` (accelerator) or `argon2` (portable). */
  readonly engine: string;
  readonly hashThreads: number;
  readonly hashesRunning: number;
  readonly hashesQueued: number;
  /** Jobs turned away since the start. */
  readonly hashesRefused: number;
  /** What all hash threads together finish in a second, a moving average of measured jobs. */
  readonly hashesPerSecond: number;
  /** Tokens waiting to be handed to the signing thread. */
  readonly signaturesQueued: number;
  /** Threads that died and were replaced since the start. */
  readonly threadsLost: number;
}

/** What a hash thread is told when it starts. */
export interface HashThreadSetup {
  readonly role: 'hash';
  readonly argon2: Argon2Parameters;
  readonly engine: 'accelerator' | 'portable' | undefined;
}

/** What a signing thread is told when it starts. */
export interface SignThreadSetup {
  readonly role: 'sign';
  readonly jwtSecret: string;
  readonly jwtKeyId: string;
}

/** A hash thread's answer: the value, and how long the thread was busy with it. */
export interface Timed<T> {
  readonly value: T;
  readonly milliseconds: number;
}

/** One-time code, whom it went to and what it is for. */
export type OneTimeCodeParts = readonly [purpose: string, recipient: string, code: string];

/** What is done with passwords. Throws CryptoPoolFullError at once when the queue is full. */
export interface PasswordHashing {
  /** @returns an Argon2id PHC string (RFC 9106) */
  hashPassword(password: string): Promise<string>;
  /**
   * Checks a password against a stored hash (argon2i/id PHC, bcrypt, Firebase scrypt).
   * @param hash null: nobody to check against; the same time is spent on a decoy and the answer is no (SEC-47)
   * @param decoyKind what that decoy begins with before its salt, where it is not to be as new hashes (SEC-92)
   */
  verifyPassword(password: string, hash: string | null, decoyKind?: string | null): Promise<PasswordCheck>;
}

/**
 * The dedicated crypto pool as rules see it. Implemented in pool.ts, the only importer of piscina. Every job throws
 * CryptoPoolFullError once the pool is closing.
 */
export interface CryptoPool extends PasswordHashing {
  /**
   * Keeps a place in the hash queue while a request finds out what is to be hashed, so that one that will be shed is
   * shed before it costs any database work.
   * @param work its first job takes the place; a place that none has taken is given back at its end
   * @throws CryptoPoolFullError (code CRYPTO_POOL_FULL, retryAfterSeconds) with the work not started, when there is none
   */
  withHashPlace<T>(work: (hashing: PasswordHashing) => Promise<T>): Promise<T>;
  /** Whether a hash offered for import is of a kind and cost that {@link verifyPassword} can check. Costs no thread. */
  isUsableHash(hash: string): boolean;
  /**
   * @param payload claims as JSON, at most 1 MiB
   * @returns a compact JWS (RFC 7515), HS256
   */
  signJwt(payload: string): Promise<string>;
  /**
   * Keyed hash of a one-time code, bound to what it is for and whom it went to (SEC-37).
   * @returns lower-case hex, HMAC-SHA-256 under a key derived from the server secret
   */
  hashOneTimeCode(purpose: string, recipient: string, code: string): Promise<string>;
  stats(): CryptoPoolStats;
  /** Lets jobs in flight finish (ending a thread inside argon2 aborts the process), then ends the threads. */
  close(): Promise<void>;
}
