/** Checks of the settings of signing keys that involve several of them. */
import { isJwsAlgorithm } from '../../jws/algorithms.js';
import { acceptsSecret, isSecretKey } from '../keys/key-set.js';
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
  const { jwtKeys, jwtValidMethods } = config;
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
  const about = noticeSecret(config, nameOf);
  if (about !== null) note('jwtKeys', about);
  return notices;
}

/** What becomes of tokens under AUTH_JWT_SECRET beside AUTH_JWT_KEYS. @returns null: what is usual */
function noticeSecret({ jwtKeys, jwtValidMethods, jwtSecret }: Config, nameOf: NameOf): string | null {
  if (jwtKeys.length === 0) return null;
  const [secret, methods] = [nameOf('jwtSecret'), nameOf('jwtValidMethods')];
  const validMethods = jwtValidMethods.length === 0 ? null : jwtValidMethods;
  if (!acceptsSecret({ keys: jwtKeys, validMethods, source: 'environment', jwtSecret })) {
    const listing = validMethods === null ? 'list it as an oct key with key_ops ["verify"], or ' : '';
    return `does not have ${secret}: tokens under it are refused, keys of services included; to accept them, ${listing}add HS256 to ${methods}`;
  }
  const symmetric = jwtKeys.filter(({ alg }) => alg === 'HS256');
  if (symmetric.length === 0 || symmetric.some((key) => isSecretKey(key, jwtSecret))) return null;
  const kids = symmetric.map((key) => `entry ${jwtKeys.indexOf(key) + 1} (kid ${JSON.stringify(key.kid)})`);
  const subject = kids.length === 1 ? `${kids[0]} has` : `${kids.join(' and ')} have`;
  return `${subject} another value than ${secret}, whose tokens are accepted as well: if it was changed to end them, set ${methods} without HS256, or remove the oct keys`;
}
