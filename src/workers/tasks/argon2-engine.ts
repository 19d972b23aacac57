import type { Argon2Parameters } from '../wire.js';

export interface Argon2Cost extends Argon2Parameters {
  readonly variant: 'argon2i' | 'argon2id';
  /** Length of the digest in bytes. */
  readonly digestBytes: number;
}

/** One of the two builds of Argon2 v1.3 (RFC 9106), which produce the same bytes. */
export interface Argon2Engine {
  /** Package name, for the log. */
  readonly name: string;
  derive(password: string, salt: Uint8Array, cost: Argon2Cost): Buffer | Promise<Buffer>;
}

/** The part of `@node-rs/argon2` used here, so that the build does not need an optional package. */
interface AcceleratorModule {
  hashRawSync(
    password: string,
    options: {
      salt: Uint8Array;
      memoryCost: number;
      timeCost: number;
      parallelism: number;
      outputLen: number;
      algorithm: number;
      version: number;
    },
  ): Buffer;
}

/** Numbers of the algorithm in RFC 9106, 3.1; both packages use them. */
const VARIANT_NUMBERS = { argon2i: 1, argon2id: 2 } as const;
const ACCELERATOR_VERSION_19 = 1;
const ACCELERATOR: string = '@node-rs/argon2';

/**
 * Loads an Argon2 build. The accelerator is three times as fast (4.9 against 15.5 ms at 19 MiB) and computes inside the
 * calling thread; the portable one computes in libuv's shared pool, so run one job per thread.
 * @param wanted unset: the accelerator, or the portable one where the accelerator has no binary
 * @throws Error when the wanted build does not load
 */
export async function loadArgon2Engine(wanted: 'accelerator' | 'portable' | undefined): Promise<Argon2Engine> {
  if (wanted === 'portable') return loadPortable();
  if (wanted === 'accelerator') return loadAccelerator();
  return loadAccelerator().catch(loadPortable);
}

async function loadAccelerator(): Promise<Argon2Engine> {
  const { hashRawSync } = (await import(ACCELERATOR)) as AcceleratorModule;
  return {
    name: ACCELERATOR,
    derive: (password, salt, cost) =>
      hashRawSync(password, {
        salt,
        memoryCost: cost.memoryKiB,
        timeCost: cost.iterations,
        parallelism: cost.parallelism,
        outputLen: cost.digestBytes,
        algorithm: VARIANT_NUMBERS[cost.variant],
        version: ACCELERATOR_VERSION_19,
      }),
  };
}

async function loadPortable(): Promise<Argon2Engine> {
  const { default: argon2 } = await import('argon2');
  return {
    name: 'argon2',
    derive: (password, salt, cost) =>
      argon2.hash(password, {
        raw: true,
        salt: Buffer.from(salt),
        memoryCost: cost.memoryKiB,
        timeCost: cost.iterations,
        parallelism: cost.parallelism,
        hashLength: cost.digestBytes,
        type: VARIANT_NUMBERS[cost.variant],
        version: 0x13,
      }),
  };
}
