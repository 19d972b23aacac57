import { Batcher } from '../batching/batcher.js';
import type { JwsAlgorithm } from '../jws/algorithms.js';
import { CryptoThreads } from './crypto-threads.js';
import { CryptoPoolFullError } from './errors.js';
import { HashGate, type HashSlot } from './hash-gate.js';
import { parseStoredHash } from './tasks/stored-hash.js';
import type { CryptoPool, CryptoPoolOptions, OneTimeCodeParts, PasswordCheck, PasswordHashing, Timed } from './wire.js';

export { CryptoPoolFullError } from './errors.js';

/**
 * A thread that slowly exceeds its heap limit ends alone, but a single large string aborts the process (Node 20.20:
 * FATAL ERROR from ValueSerializer). So nothing large is passed to a thread (REL-10).
 */
const MAX_CLAIM_CHARACTERS = 1_048_576;

/** About 1 ms of signing; HS256 takes 3 µs, ES256 30 and RS256 250. */
const MAX_BATCHED_JOBS: Readonly<Record<JwsAlgorithm, number>> = {
  HS256: 256,
  ES256: 32,
  EdDSA: 32,
  ES512: 2,
  RS256: 4,
  RS512: 4,
};
/** A refresh needs its token when the database has answered, which takes a busy one more than this. */
const SIGNING_PATIENCE_MS = 2;
const MAX_BATCHED_CODES = 256;
/**
 * A response takes about 1 ms, a proof 0.6, a wallet 2, so the last one in the queue waits about a second. A SAML message takes 2 and
 * may have 350 kB, so fewer of them wait.
 */
const MAX_LATE_JOBS = { webauthn: 512, dpop: 1024, saml: 128, wallet: 512 } as const;
/** With all copies at most 20 MB of the thread's heap, whose limit is MAX_HEAP_MB. */
const MAX_BATCHED_CHARACTERS = 1_048_576;

/**
 * Starts the crypto threads: one group for passwords and one for signing, since a signature that shares a thread with
 * hashing waits 40 to 170 ms. Resolves when every thread has run a job.
 * @throws Error when a thread cannot start, for example because the given engine does not load
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
  const bounds = { concurrency: signThreads, maxCharacters: MAX_BATCHED_CHARACTERS };
  const jwts = new Batcher<string, string>({
    ...bounds,
    maxJobs: () => MAX_BATCHED_JOBS[threads.algorithm],
    send: (batch) => threads.signJwts(batch),
    countCharacters: (payload) => payload.length,
    patienceMs: SIGNING_PATIENCE_MS,
  });
  const codes = new Batcher<OneTimeCodeParts, string>({
    ...bounds,
    maxJobs: () => MAX_BATCHED_CODES,
    send: (batch) => threads.hashOneTimeCodes(batch),
    countCharacters: (parts) => parts.join('').length,
  });
  const lateJobs = { webauthn: 0, dpop: 0, saml: 0, wallet: 0 };
  let isClosing = false;
  let closed: Promise<void> | undefined;

  function assertOpen(): void {
    if (isClosing) throw closingError();
  }

  async function verify<T>(
    role: keyof typeof lateJobs,
    task: Parameters<CryptoThreads['late']>[1],
    job: unknown,
  ): Promise<T> {
    assertOpen();
    if (lateJobs[role] >= MAX_LATE_JOBS[role]) throw new CryptoPoolFullError(`Too many ${role} jobs wait.`, 1);
    lateJobs[role] += 1;
    try {
      return await threads.late<T>(role, task, job);
    } finally {
      lateJobs[role] -= 1;
    }
  }

  const hashing = (slot?: HashSlot): PasswordHashing => ({
    async hashPassword(password) {
      assertOpen();
      return gate.run(() => threads.hash<Timed<string>>('hashPassword', password), slot);
    },
    async verifyPassword(password, hash, decoyKind = null) {
      assertOpen();
      return gate.run(() => threads.hash<Timed<PasswordCheck>>('verifyPassword', [password, hash, decoyKind]), slot);
    },
  });

  return {
    ...hashing(),
    async withHashSlot(work) {
      assertOpen();
      return gate.withSlot((slot) => work(hashing(slot)));
    },
    isUsableHash: (hash) => parseStoredHash(hash) !== null,
    // Not async: wrapping the promise would take three more microtasks per token.
    signJwt(payload, type = 'JWT', canWait = false) {
      if (isClosing) return Promise.reject(closingError());
      if (payload.length > MAX_CLAIM_CHARACTERS) {
        return Promise.reject(new RangeError('The claims of an access token exceed 1 MiB.'));
      }
      return jwts.add(type === 'JWT' ? payload : `${type} ${payload}`, canWait);
    },
    hurrySigning: () => jwts.hurry(),
    async useSigningKey(key) {
      assertOpen();
      await threads.useSigningKey(key);
    },
    async hashOneTimeCode(purpose, recipient, code) {
      assertOpen();
      return codes.add([purpose, recipient, code]);
    },
    verifyRegistration: (job) => verify('webauthn', 'checkRegistration', job),
    verifyAssertion: (job) => verify('webauthn', 'checkAssertion', job),
    verifyProof: (proof) => verify('dpop', 'checkProof', proof),
    verifyClientAssertion: (job) => verify('dpop', 'checkClientAssertion', job),
    verifySamlResponse: (job) => verify('saml', 'verifySamlResponse', job),
    examineSamlResponse: (job) => verify('saml', 'examineSamlResponse', job),
    verifySamlLogout: (job) => verify('saml', 'verifySamlLogout', job),
    peekSamlMessage: (message) => verify('saml', 'peekSamlMessage', message),
    signSaml: (job) => verify('saml', 'signSaml', job),
    readSamlMetadata: (xml) => verify('saml', 'readSamlMetadata', xml),
    verifyWallet: (job) => verify('wallet', 'checkWallet', job),
    async warmWebAuthn() {
      assertOpen();
      await threads.late('webauthn', 'warmWebAuthn', null);
    },
    stats: () => ({
      engine,
      hashThreads: gate.threads,
      hashesRunning: gate.running,
      hashesQueued: gate.queued,
      hashesRejected: gate.rejected,
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

async function drain(
  threads: CryptoThreads,
  gate: HashGate,
  batchers: readonly { isIdle: boolean; hurry(): void }[],
): Promise<void> {
  // A job that settles starts the next one, so check again.
  while (gate.running + gate.queued > 0 || batchers.some(({ isIdle }) => !isIdle)) {
    for (const batcher of batchers) batcher.hurry();
    await threads.nextSettled();
  }
}
