/** The crypto pool's interface, and the messages between a server thread and its crypto threads (plain data). */
import type { MessagePort } from 'node:worker_threads';
import type { SigningKey } from '../jws/algorithms.js';
import type { AssertionVerification } from './client-assertion-wire.js';
import type { ProofVerification } from './dpop-wire.js';
import type { SamlReading } from './saml-wire.js';
import type { WalletVerification } from './wallet-wire.js';
import type { WebAuthnVerification } from './webauthn-wire.js';

export interface Argon2Parameters {
  readonly memoryKiB: number;
  readonly iterations: number;
  readonly parallelism: number;
}

export interface CryptoPoolOptions {
  /** Threads that hash passwords. */
  readonly hashThreads: number;
  /** Threads that sign; 1 is enough for all but RSA. */
  readonly signThreads: number;
  readonly argon2: Argon2Parameters;
  /** Signs access tokens without a signing key, and hashes one-time codes: raw bytes of the string. */
  readonly jwtSecret: string;
  /** `kid` header of access tokens that this secret signs; empty: none. */
  readonly jwtKeyId: string;
  /** Signs access tokens in place of the secret. */
  readonly signingKey?: SigningKey;
  /** Jobs that may wait for a hash thread; further ones are rejected at once. */
  readonly maxQueuedHashes: number;
  /** Argon2 build to use; unset: the accelerator, or the portable one where it does not load. */
  readonly engine?: 'accelerator' | 'portable';
}

export interface PasswordCheck {
  readonly matches: boolean;
  /** A new hash when the password matched and the stored one is weaker, of another kind or of another Unicode form, else null. */
  readonly renewedHash: string | null;
}

export interface CryptoPoolStats {
  /** Package that computes Argon2: `@node-rs/argon2` (accelerator) or `argon2` (portable). */
  readonly engine: string;
  readonly hashThreads: number;
  readonly hashesRunning: number;
  readonly hashesQueued: number;
  /** Jobs rejected since the start. */
  readonly hashesRejected: number;
  /** Of all hash threads together, from a moving average of measured jobs. */
  readonly hashesPerSecond: number;
  /** Tokens waiting for the signing thread. */
  readonly signaturesQueued: number;
  /** Threads that died and were replaced since the start. */
  readonly threadsLost: number;
}

/** workerData of a hash thread. */
export interface HashThreadSetup {
  readonly role: 'hash';
  readonly argon2: Argon2Parameters;
  readonly engine: 'accelerator' | 'portable' | undefined;
}

/** workerData of a signing thread. */
export interface SignThreadSetup {
  readonly role: 'sign';
  readonly jwtSecret: string;
}

/** workerData of the thread that verifies WebAuthn responses. */
export interface WebAuthnThreadSetup {
  readonly role: 'webauthn';
}

/** workerData of the thread that verifies DPoP proofs and the assertions of clients. */
export interface ProofThreadSetup {
  readonly role: 'dpop';
}

/** workerData of the thread that reads SAML messages. */
export interface SamlThreadSetup {
  readonly role: 'saml';
}

/** workerData of the thread that verifies signatures of wallets. */
export interface WalletThreadSetup {
  readonly role: 'wallet';
}

export type CryptoThreadSetup =
  | HashThreadSetup
  | SignThreadSetup
  | WebAuthnThreadSetup
  | ProofThreadSetup
  | SamlThreadSetup
  | WalletThreadSetup;

/**
 * Joins texts to one, of which a thread gets a copy in half the time that an array of them takes. JSON text has no line
 * break that is not escaped (RFC 8259 7), and a token has none.
 */
export const JOB_SEPARATOR = '\n';

/** The argument of a signing thread's task: its batches come through the port. */
export interface ServedChannel {
  readonly port: MessagePort;
  readonly signingKey: SigningKey;
}

/** A hash thread's answer: the value, and how long the thread was busy. */
export interface Timed<T> {
  readonly value: T;
  readonly milliseconds: number;
}

/**
 * `typ` of a token's header. Tokens that must not be taken for another kind have one of their own: RFC 9068 2.1; OpenID
 * Connect Back-Channel Logout 1.0, 2.4.
 */
export type TokenType = 'JWT' | 'at+jwt' | 'logout+jwt';

/** A one-time code with its purpose and recipient. */
export type OneTimeCodeParts = readonly [purpose: string, recipient: string, code: string];

/** Password jobs. They throw CryptoPoolFullError at once when the queue is full. */
export interface PasswordHashing {
  /** @returns an Argon2id PHC string (RFC 9106) of the password in NFKC */
  hashPassword(password: string): Promise<string>;
  /**
   * Checks a password against a stored hash (argon2i/id PHC, bcrypt, Firebase scrypt): its NFKC, and where that differs
   * the text as it was given.
   * @param hash null: a decoy is checked, so that it takes the same time, and nothing matches (SEC-47)
   * @param decoyKind prefix of that decoy before its salt; null: that of new hashes (SEC-92)
   */
  verifyPassword(password: string, hash: string | null, decoyKind?: string | null): Promise<PasswordCheck>;
}

/**
 * The crypto pool. Implemented in pool.ts. Every job throws CryptoPoolFullError once the
 * pool is closing.
 */
export interface CryptoPool
  extends PasswordHashing,
    WebAuthnVerification,
    ProofVerification,
    AssertionVerification,
    SamlReading,
    WalletVerification {
  /**
   * Reserves a slot in the hash queue while a request looks up what to hash, so that a request that must be shed causes
   * no database work.
   * @param work its first job takes the slot; an unused slot is released at its end
   * @throws CryptoPoolFullError (code CRYPTO_POOL_FULL, retryAfterSeconds) before the work starts, when there is none
   */
  withHashSlot<T>(work: (hashing: PasswordHashing) => Promise<T>): Promise<T>;
  /** Whether {@link verifyPassword} can check a hash of this kind and cost. Runs on the calling thread. */
  isUsableHash(hash: string): boolean;
  /**
   * @param payload claims as JSON, at most 1 MiB
   * @param type default JWT
   * @param canWait the token is not needed yet: it is signed with the next ones, within 2 ms, or by hurrySigning()
   * @returns a compact JWS (RFC 7515)
   */
  signJwt(payload: string, type?: TokenType, canWait?: boolean): Promise<string>;
  /** Starts to sign the tokens that can wait. */
  hurrySigning(): void;
  /** Changes the key that signs. Tokens that are asked for later are signed with it. */
  useSigningKey(key: SigningKey): Promise<void>;
  /**
   * Keyed hash of a one-time code, bound to its purpose and recipient (SEC-37).
   * @returns lower-case hex, HMAC-SHA-256 under a key derived from the server secret
   */
  hashOneTimeCode(purpose: string, recipient: string, code: string): Promise<string>;
  stats(): CryptoPoolStats;
  /** Finishes running jobs (ending a thread inside argon2 aborts the process), then ends the threads. */
  close(): Promise<void>;
}
