import { withKeyStore } from '../../cli/key-store.js';
import { type Command, EXIT } from '../../cli/types.js';
import { parseDuration } from '../../config/parse.js';
import { generatedAlgorithms, generateTokenKey } from '../../keys/generate.js';
import { advanceKeys, startRotation } from '../../keys/rotation.js';
import { readAlgorithm } from './generate.js';

export const rotateKeys: Command = {
  summary: 'Replace the key that signs, without a restart',
  help: `Publishes a new key at once. It signs after the wait, when all verifiers have fetched it, and the former one is retired
when its last token has expired: AUTH_JWT_EXP and a minute later. Running servers do both by themselves, so this command
returns at once and may be repeated: while a rotation is under way it starts no other. Users stay signed in.`,
  options: {
    wait: { type: 'string', argument: 'DURATION', doc: 'how long the key is published before it signs (default: 10m)' },
    alg: { type: 'string', argument: 'ALG', doc: `${generatedAlgorithms.join(', ')} (default: ES256)` },
    kid: { type: 'string', argument: 'KID', doc: 'name of the key (default: its thumbprint)' },
  },
  run: async (args, io) => {
    const wait = parseDuration((args.values['wait'] as string | undefined) ?? '10m');
    const alg = readAlgorithm(args.values['alg']);
    const problem =
      'fault' in wait
        ? `--wait ${wait.fault}`
        : alg === undefined
          ? `--alg must be one of ${generatedAlgorithms.join(', ')}`
          : null;
    if (problem !== null || 'fault' in wait || alg === undefined) {
      io.err(`latchkey keys rotate: ${problem}\n`);
      return EXIT.wrongUsage;
    }
    return withKeyStore(args, io, async (store) => {
      await advanceKeys(store);
      const key = generateTokenKey(alg, (args.values['kid'] as string | undefined) ?? null);
      const { kid, isNew, dueInSeconds } = (await startRotation(store, key, wait.value))!;
      const at = new Date(Date.now() + dueInSeconds * 1000).toISOString();
      if (!isNew) io.out(`A rotation is under way: ${kid} signs from ${at} on.\n`);
      else if (wait.value === 0) io.out(`${kid} signs now.\n`);
      else io.out(`${kid} is published, and signs from ${at} on.\n`);
      return EXIT.ok;
    });
  },
};
