import type { openCryptoPool } from '../../src/workers/pool.js';
import type { makeJwtSigner } from '../../src/workers/tasks/jwt.js';
import type { CryptoPool, CryptoPoolOptions } from '../../src/workers/wire.js';

/** A crypto pool whose signatures are made by the caller's thread, with the very function the signing thread uses. */
export async function signInline(
  open: typeof openCryptoPool,
  makeSigner: typeof makeJwtSigner,
  options: CryptoPoolOptions,
): Promise<CryptoPool> {
  const pool = await open(options);
  const sign = makeSigner(options.jwtSecret, options.jwtKeyId);
  return { ...pool, signJwt: async (payload) => sign(payload) };
}
