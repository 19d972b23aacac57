import { createSecretKey } from 'node:crypto';
import { createLocalJWKSet, importJWK, jwtVerify, SignJWT } from 'jose';
import { listSigningKeys } from '../../db/signing-keys.js';
import { hasPrivatePart, publicMembers, type TokenKey } from '../../jws/jwk.js';
import { loadConfiguration } from '../cli/configuration.js';
import { withKeyStore } from '../cli/key-store.js';
import { type Command, type CommandArguments, type CommandIo, EXIT } from '../cli/types.js';
import type { Config } from '../config/settings.js';
import { acceptsSecret, isSecretKey } from '../keys/key-set.js';
import { previousSeconds } from '../keys/rotation.js';
import { type KeyStore, openTokenKey, SealedKeyError, secretTokenKey } from '../keys/stored-keys.js';

interface Finding {
  readonly kind: 'ok' | 'hint' | 'wrong';
  readonly text: string;
}

/** What @supabase/auth-js verifies; it refuses tokens of other algorithms. */
const CLIENT_ALGORITHMS = ['ES256', 'RS256', 'HS256'];
const SOON_SECONDS = 3600;

export const checkKeys: Command = {
  summary: 'Sign and verify a token with every key',
  help: `Signs a token with each key of AUTH_JWT_KEYS or of the database that has a private part, verifies it with the public part
that is published, and warns of algorithms that clients cannot verify, of tokens under AUTH_JWT_SECRET that are refused, and
of keys that are about to be retired. Prints no key. Exits with 1 if a key does not work.`,
  options: {
    json: { type: 'boolean', doc: 'print one JSON object' },
  },
  run: async (args, io) => {
    const { config } = await loadConfiguration(args, io);
    if (config.jwtKeysSource === 'database') {
      return withKeyStore(args, io, async (store) => report(await checkStored(store, config), args, io));
    }
    const keys = config.jwtKeys.length === 0 ? [secretTokenKey(config)] : config.jwtKeys;
    return report([...(await checkAll(keys)), ...hintsOf(keys, config)], args, io);
  },
};

async function checkStored(store: KeyStore, config: Config): Promise<Finding[]> {
  const rows = (await listSigningKeys(store.db)).filter(({ state }) => state !== 'retired');
  if (rows.length === 0) {
    const text = 'There is no key in the database: AUTH_JWT_SECRET signs. latchkey keys rotate makes the first one.';
    return [{ kind: 'hint', text }];
  }
  const findings: Finding[] = [];
  const keys: TokenKey[] = [];
  for (const row of rows) {
    const key = openTokenKey(store, row);
    if (key === null) findings.push({ kind: 'wrong', text: new SealedKeyError(row.kid).message });
    else keys.push(key);
    const leftSeconds = row.due_in_seconds ?? Number.POSITIVE_INFINITY;
    const liveSeconds = previousSeconds(store) - row.since_seconds;
    if (row.state === 'previous' && leftSeconds < SOON_SECONDS && liveSeconds > 0) {
      const text = `${row.kid} is retired in ${Math.round(leftSeconds / 60)} minutes, and its last tokens may live until then.`;
      findings.push({ kind: 'hint', text });
    }
  }
  if (!rows.some(({ state }) => state === 'active')) {
    findings.push({ kind: 'wrong', text: 'No key is active, so none signs: run latchkey keys promote.' });
  }
  return [...findings, ...(await checkAll(keys)), ...hintsOf(keys, config)];
}

const checkAll = (keys: readonly TokenKey[]): Promise<Finding[]> => Promise.all(keys.map(checkKey));

/** By jose, another implementation than the one that signs. */
async function checkKey({ kid, alg, jwk, signs }: TokenKey): Promise<Finding> {
  const role = signs ? 'signs' : 'verifies';
  if (!hasPrivatePart(jwk)) return { kind: 'ok', text: `${kid} (${alg}) ${role}; it has no private part to try.` };
  try {
    const token = await new SignJWT({}).setProtectedHeader({ alg, kid }).sign(await importJWK({ ...jwk }, alg));
    if (alg === 'HS256') await jwtVerify(token, createSecretKey(Buffer.from(jwk['k']!, 'base64url')));
    else await jwtVerify(token, createLocalJWKSet({ keys: [{ ...publicMembers(jwk), kid, alg, use: 'sig' }] }));
    return { kind: 'ok', text: `${kid} (${alg}) ${role}.` };
  } catch {
    return { kind: 'wrong', text: `${kid} (${alg}) does not verify what it signs.` };
  }
}

function hintsOf(keys: readonly TokenKey[], config: Config): Finding[] {
  const findings: Finding[] = keys
    .filter(({ alg }) => !CLIENT_ALGORITHMS.includes(alg))
    .map(({ kid, alg }) => ({
      kind: 'hint',
      text: `${kid}: @supabase/auth-js cannot verify ${alg}; use ES256.`,
    }));
  const { jwtValidMethods, jwtSecret, jwtKeysSource: source } = config;
  const validMethods = jwtValidMethods.length === 0 ? null : jwtValidMethods;
  if (!acceptsSecret({ keys, validMethods, source, jwtSecret })) {
    findings.push({ kind: 'hint', text: 'Tokens under AUTH_JWT_SECRET are refused, keys of services included.' });
  } else if (!keys.some((key) => isSecretKey(key, jwtSecret))) {
    const text = 'Tokens under AUTH_JWT_SECRET are accepted as well, although no key has its value.';
    findings.push({ kind: 'hint', text });
  }
  return findings;
}

function report(findings: readonly Finding[], { values }: CommandArguments, io: CommandIo): number {
  const ok = !findings.some(({ kind }) => kind === 'wrong');
  if (values['json'] === true) io.out(`${JSON.stringify({ ok, findings }, null, 2)}\n`);
  else {
    const end = ok ? 'Every key works.' : 'Sign-in or verification fails like this.';
    io.out(`${findings.map(({ kind, text }) => `${kind.padEnd(5)}  ${text}\n`).join('')}\n${end}\n`);
  }
  return ok ? EXIT.ok : EXIT.failed;
}
