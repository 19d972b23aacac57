/** Entry point of a crypto thread: Piscina calls the exported functions by name. */
import { setPriority } from 'node:os';
import { performance } from 'node:perf_hooks';
import { workerData } from 'node:worker_threads';
import type { SigningKey } from '../jws/algorithms.js';
import type { ClientAssertionJob } from './client-assertion-wire.js';
import type { RefusedProof, SignedProof } from './dpop-wire.js';
import type { SamlExaminationJob, SamlLogoutJob, SamlMessage, SamlResponseJob, SamlSignatureJob } from './saml-wire.js';
import { type Argon2Engine, loadArgon2Engine } from './tasks/argon2-engine.js';
import { makeKeySigner } from './tasks/jwt.js';
import { makeOneTimeCodeHasher } from './tasks/otp.js';
import { makePasswordTasks, type PasswordTasks } from './tasks/password.js';
import { loadSaml, type SamlTasks } from './tasks/saml.js';
import { loadWebAuthn, type WebAuthnTasks } from './tasks/webauthn.js';
import { serveChannel } from './thread-channel.js';
import type { CheckedSignature, EthereumSignatureJob, SolanaSignatureJob } from './wallet-wire.js';
import type { AssertionJob, RegistrationJob } from './webauthn-wire.js';
import {
  type CryptoThreadSetup,
  JOB_SEPARATOR,
  type OneTimeCodeParts,
  type PasswordCheck,
  type ServedChannel,
  type Timed,
} from './wire.js';

/** Halves the p99 of other requests (from 4 to 2 ms) without fewer hashes per second. */
const HASH_THREAD_NICENESS = 10;

/** The first one also maps memory. */
const MAX_WARM_UP_HASHES = 4;
/** With high costs one hash may take seconds. */
const ENOUGH_WARM_UP_MS = 100;

const setup = workerData as CryptoThreadSetup;
let hashing: { engine: Argon2Engine; tasks: PasswordTasks } | undefined;
let hashCode: ((parts: OneTimeCodeParts) => string) | undefined;
let signJwt: ((payload: string) => string) | undefined;
let webAuthn: WebAuthnTasks | undefined;
let saml: SamlTasks | undefined;
let proofs: typeof import('./tasks/proof-signature.js') | undefined;
let assertions: typeof import('./tasks/assertion-signature.js') | undefined;
let wallets: typeof import('./tasks/wallet-signature.js') | undefined;

if (setup.role === 'hash') {
  lowerOwnPriority();
  const engine = await loadArgon2Engine(setup.engine);
  hashing = { engine, tasks: makePasswordTasks(engine, setup.argon2) };
} else if (setup.role === 'webauthn') {
  webAuthn = await loadWebAuthn();
} else if (setup.role === 'saml') {
  saml = loadSaml();
} else if (setup.role === 'dpop') {
  proofs = await import('./tasks/proof-signature.js');
  assertions = await import('./tasks/assertion-signature.js');
} else if (setup.role === 'wallet') {
  wallets = await import('./tasks/wallet-signature.js');
} else {
  hashCode = makeOneTimeCodeHasher(setup.jwtSecret);
}

/**
 * Warms up a hash thread.
 * @returns the engine's package name and the time of a hash: the shortest of a few, since other load only lengthens it
 */
export async function warmHashing(): Promise<Timed<string>> {
  const start = performance.now();
  let shortest = Number.POSITIVE_INFINITY;
  for (let n = 0; n < MAX_WARM_UP_HASHES && performance.now() - start < ENOUGH_WARM_UP_MS; n++) {
    shortest = Math.min(shortest, (await hashPassword('')).milliseconds);
  }
  return { value: hashing!.engine.name, milliseconds: shortest };
}

export function hashPassword(password: string): Promise<Timed<string>> {
  return timed(() => hashing!.tasks.hash(password));
}

export function verifyPassword(job: [string, string | null, string | null]): Promise<Timed<PasswordCheck>> {
  return timed(() => hashing!.tasks.verify(...job));
}

export const checkRegistration = (job: RegistrationJob) => webAuthn!.register(job);
export const checkAssertion = (job: AssertionJob) => webAuthn!.assert(job);
/** The thread is warm when it runs anything at all. */
export const warmWebAuthn = (): void => undefined;

export const checkProof = (proof: string): Promise<SignedProof | RefusedProof> => proofs!.readSignedProof(proof);
export const checkClientAssertion = (job: ClientAssertionJob) => assertions!.readClientAssertion(job);

export const verifySamlResponse = (job: SamlResponseJob) => saml!.verify(job);
export const examineSamlResponse = (job: SamlExaminationJob) => saml!.examine(job);
export const verifySamlLogout = (job: SamlLogoutJob) => saml!.verifyLogout(job);
export const peekSamlMessage = (message: SamlMessage) => saml!.peek(message);
export const signSaml = (job: SamlSignatureJob): string => saml!.sign(job);
export const readSamlMetadata = (xml: string) => saml!.readMetadata(xml);
export const checkWallet = (job: SolanaSignatureJob | EthereumSignatureJob): CheckedSignature =>
  wallets!.checkSignature(job);

/** Serves the batches of a signing thread from a channel. */
export function serveBatches({ port, signingKey }: ServedChannel): Promise<never> {
  useSigningKey(signingKey);
  return serveChannel(port, { signJwts, hashOneTimeCodes, useSigningKey });
}

/** @param payloads JSON texts of the claims, joined by JOB_SEPARATOR. @returns the tokens, joined in the same way */
function signJwts(payloads: string): string {
  let tokens = '';
  for (const payload of payloads.split(JOB_SEPARATOR)) {
    if (tokens !== '') tokens += JOB_SEPARATOR;
    tokens += signJwt!(payload);
  }
  return tokens;
}

function hashOneTimeCodes(codes: readonly OneTimeCodeParts[]): string[] {
  return codes.map(hashCode!);
}

function useSigningKey(key: SigningKey): void {
  signJwt = makeKeySigner(key);
}

async function timed<T>(work: () => Promise<T>): Promise<Timed<T>> {
  const start = performance.now();
  const value = await work();
  return { value, milliseconds: performance.now() - start };
}

function lowerOwnPriority(): void {
  try {
    // On Linux, 0 means the calling thread, not the process: setpriority(2).
    if (process.platform === 'linux') setPriority(0, HASH_THREAD_NICENESS);
  } catch {
    // Not permitted here: hashing keeps the normal priority.
  }
}
