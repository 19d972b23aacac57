import { type Command, EXIT } from '../../cli/types.js';
import {
  describeTokenKey,
  type GeneratedAlgorithm,
  generatedAlgorithms,
  generateTokenKey,
} from '../../keys/generate.js';

export const generateKey: Command = {
  summary: 'Print a new private key for AUTH_JWT_KEYS',
  help: `Prints a JSON Web Key that signs access tokens. It is stored nowhere: put it in brackets into AUTH_JWT_KEYS, as in
AUTH_JWT_KEYS='[KEY]', and keep it as secret as AUTH_JWT_SECRET. With AUTH_JWT_KEYS_SOURCE=database use latchkey keys rotate
instead.`,
  options: {
    alg: { type: 'string', argument: 'ALG', doc: `${generatedAlgorithms.join(', ')} (default: ES256)` },
    kid: { type: 'string', argument: 'KID', doc: 'name of the key (default: its thumbprint)' },
  },
  run: async ({ values }, io) => {
    const alg = readAlgorithm(values['alg']);
    if (alg === undefined) {
      io.err(`latchkey keys generate: --alg must be one of ${generatedAlgorithms.join(', ')}\n`);
      return EXIT.wrongUsage;
    }
    try {
      const key = generateTokenKey(alg, (values['kid'] as string | undefined) ?? null);
      io.out(`${JSON.stringify(describeTokenKey(key))}\n`);
    } catch (error) {
      io.err(`latchkey keys generate: ${(error as Error).message}\n`);
      return EXIT.wrongUsage;
    }
    return EXIT.ok;
  },
};

/** @returns undefined for an algorithm that no key is made for */
export const readAlgorithm = (given: string | boolean | undefined): GeneratedAlgorithm | undefined =>
  generatedAlgorithms.find((name) => name === (given ?? 'ES256'));
