import type { LoadHook } from 'node:module';

const POOL = '/dist/src/workers/pool.js';
const ORIGINAL = '?pool-thread';

/** Puts a wrapper where the server asks for its crypto pool; the wrapper gets the original under another URL. */
export const load: LoadHook = async (url, context, nextLoad) => {
  if (!url.endsWith(POOL)) return nextLoad(url, context);
  const wrapper = new URL('./inline-signing-pool.js', import.meta.url).href;
  const signer = new URL('./tasks/jwt.js', url).href;
  const source = `
    import { openCryptoPool as open } from ${JSON.stringify(url + ORIGINAL)};
    import { makeJwtSigner } from ${JSON.stringify(signer)};
    import { signInline } from ${JSON.stringify(wrapper)};
    export * from ${JSON.stringify(url + ORIGINAL)};
    export const openCryptoPool = (options) => signInline(open, makeJwtSigner, options);`;
  return { format: 'module', source, shortCircuit: true };
};
