/**
 * Loaded by `node --import` into a server under measurement: its access tokens are then signed on the server thread.
 * Everything else stays, so the difference is what the signing pool costs or saves. The module registers itself as a
 * loader hook, which replaces the crypto pool by a wrapper around it.
 */
import { type LoadHook, register } from 'node:module';

const HOOKS = '?hooks';
const POOL = '/dist/src/workers/pool.js';

if (!import.meta.url.endsWith(HOOKS)) register(`${import.meta.url}${HOOKS}`);

export const load: LoadHook = async (url, context, nextLoad) => {
  if (!url.endsWith(POOL)) return nextLoad(url, context);
  const source = `
    import { openCryptoPool as open } from ${JSON.stringify(`${url}?original`)};
    import { makeJwtSigner } from ${JSON.stringify(new URL('./tasks/jwt.js', url).href)};
    export * from ${JSON.stringify(`${url}?original`)};
    export async function openCryptoPool(options) {
      const pool = await open(options);
      const sign = makeJwtSigner(options.jwtSecret, options.jwtKeyId);
      return { ...pool, signJwt: async (payload) => sign(payload) };
    }`;
  return { format: 'module', source, shortCircuit: true };
};
