/** Entry of a crypto thread: Piscina calls the exported functions by name. */
import { setPriority } from 'node:os';
import { performance } from 'node:perf_hooks';
import { type MessagePort, workerData } from 'node:worker_threads';
import { serveLine } from './message-line.js';
import { type Argon2Engine, loadArgon2Engine } from './tasks/argon2-engine.js';
import { makeJwtSigner } from './tasks/jwt.js';
import { makeOneTimeCodeHasher } from './tasks/otp.js';
import { makePasswordTasks, type PasswordTasks } from './tasks/password.js';
import type { HashThreadSetup, OneTimeCodeParts, PasswordCheck, SignThreadSetup, Timed } from './wire.js';

/** Halves the p99 of other requests (4 to 2 ms) at no cost in hashes per second. */
const HASH_THREAD_NICENESS = 10;

/** The first one maps memory and is never the shortest. */
const MOST_WARM_UP_HASHES = 4;
/** Costs may be set so high that one hash takes seconds. */
const ENOUGH_WARM_UP_MS = 100;

const setup = workerData as HashThreadSetup | SignThreadSetup;
let hashing: { engine: Argon2Engine; tasks: PasswordTasks } | undefined;
let signing: { signJwt: (payload: string) => string; hashCode: (parts: OneTimeCodeParts) => string } | undefined;

if (setup.role === 'hash') {
  lowerOwnPriority();
  const engine = await loadArgon2Engine(setup.engine);
  hashing = { engine, tasks: makePasswordTasks(engine, setup.argon2) };
} else {
  const { jwtSecret, jwtKeyId } = setup;
  signing = { signJwt: makeJwtSigner(jwtSecret, jwtKeyId), hashCode: makeOneTimeCodeHasher(jwtSecret) };
}

/**
 * Readies a hash thread.
 * @returns the engine's package name and the time of a hash: the shortest of a few, because what else starts on the
 * machine can only lengthen it
 */
export async function warmHashing(): Promise<Timed<string>> {
  const start = performance.now();
  let shortest = Number.POSITIVE_INFINITY;
  for (let n = 0; n < MOST_WARM_UP_HASHES && performance.now() - start < ENOUGH_WARM_UP_MS; n++) {
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

/** Readies a signing thread, which then takes its batches from a line. */
export function serveBatches(port: MessagePort): Promise<never> {
  return serveLine(port, { signJwts, hashOneTimeCodes });
}

/** @param payloads JSON texts of the claims */
function signJwts(payloads: readonly string[]): string[] {
  // Not map(), see Batcher.
  const tokens: string[] = [];
  for (const payload of payloads) tokens.push(signing!.signJwt(payload));
  return tokens;
}

function hashOneTimeCodes(codes: readonly OneTimeCodeParts[]): string[] {
  return codes.map(signing!.hashCode);
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
    // Not allowed here: hashing then competes with the rest on equal terms.
  }
}
