/** Checks of the settings of signing keys that involve several of them. */
import { isJwsAlgorithm } from '../../jws/algorithms.js';
import { acceptsSecret } from '../keys/key-set.js';
import type { Fault, Notice } from './faults.js';
import type { Config } from './settings.js';

type NameOf = (key: keyof Config) => string;

/** What @supabase/auth-js verifies; it refuses tokens of other algorithms. */
const CLIENT_ALGORITHMS = new Set<string>(['ES256', 'RS256', 'HS256']);
const MIN_SECRET_BYTES = 32;
const MIN_ROTATION_SECONDS = 3600;

/** A key that signs what no one accepts. */
export function findKeyContradictions(config: Config, nameOf: NameOf): { keys: (keyof Config)[]; fault: Fault }[] {
  const { jwtKeys, jwtValidMethods, jwtKeysRotateEverySeconds: every } = config;
  if (every !== null && every < MIN_ROTATION_SECONDS) {
    const fault = {
      variable: nameOf('jwtKeysRotateEverySeconds'),
      problem: 'must be an hour or more',
      example: '2160h',
    };
    return [{ keys: ['jwtKeysRotateEverySeconds'], fault }];
  }
  if (jwtValidMethods.length === 0 || config.jwtKeysSource === 'database') return [];
  const alg = jwtKeys.find(({ signs }) => signs)?.alg ?? 'HS256';
  if (jwtValidMethods.includes(alg)) return [];
  const problem = `must name ${alg}, the algorithm of the key that signs: no token would be accepted`;
  const fault = { variable: nameOf('jwtValidMethods'), problem, example: alg };
  return [{ keys: ['jwtValidMethods', 'jwtKeys'], fault }];
}

/** What an operator should know of the keys. Contains no value of a key. */
export function noticeKeys(config: Config, nameOf: NameOf): Notice[] {
  const { jwtKeys, jwtValidMethods, jwtSecret } = config;
  const notices: Notice[] = [];
  const note = (key: keyof Config, message: string) =>
    notices.push({ variable: nameOf(key), message: `${nameOf(key)} ${message}.` });
  const unknown = jwtValidMethods.filter((name) => !isJwsAlgorithm(name));
  if (unknown.length > 0) note('jwtValidMethods', 'names algorithms that no key has, which changes nothing');
  for (const [index, { kid, alg, derived, jwk, signs }] of jwtKeys.entries()) {
    const entry = `entry ${index + 1} (kid ${JSON.stringify(kid)})`;
    if (derived.includes('kid')) note('jwtKeys', `${entry} had no kid and got its thumbprint`);
    if (derived.includes('alg')) note('jwtKeys', `${entry} had no alg and counts as ${alg}`);
    if (alg === 'HS256' && Buffer.from(jwk['k']!, 'base64url').length < MIN_SECRET_BYTES) {
      note('jwtKeys', `${entry} is shorter than ${MIN_SECRET_BYTES} bytes and can be guessed`);
    }
    if (signs && !CLIENT_ALGORITHMS.has(alg)) {
      note('jwtKeys', `${entry} signs with ${alg}, which @supabase/auth-js cannot verify: use ES256`);
    }
  }
  if (config.jwtKeysSource === 'database') {
    if (jwtKeys.length > 0)
      note('jwtKeys', 'is not used, because the keys are in the database: run latchkey keys import');
    return notices;
  }
  if (config.jwtKeysRotateEverySeconds !== null) {
    note('jwtKeysRotateEverySeconds', `has no effect unless ${nameOf('jwtKeysSource')} is database`);
  }
  const validMethods = jwtValidMethods.length === 0 ? null : jwtValidMethods;
  if (jwtKeys.length > 0 && !acceptsSecret({ keys: jwtKeys, validMethods, jwtSecret })) {
    const cure = `list it as an oct key with key_ops ["verify"], or add HS256 to ${nameOf('jwtValidMethods')}`;
    note(
      'jwtKeys',
      `does not have ${nameOf('jwtSecret')}: tokens under it are refused, keys of services included; to accept them, ${cure}`,
    );
  }
  return notices;
}
