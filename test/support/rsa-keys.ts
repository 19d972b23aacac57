/**
 * RSA keys of 2048 bits for tests: each takes a fifth of a second of processor time, so that a run makes few. What starts test files
 * makes them ahead, in threads beside the start of Postgres; a file that runs by itself makes those that it takes.
 */
import { createPrivateKey, generateKeyPair, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { TREE_ROOT } from './test-files.js';

const FILE = join(TREE_ROOT, '.tap/rsa-keys.json');
const LENGTH = { modulusLength: 2048 };
/** More than a test has at the same time. */
const TURNS = 8;
/** One more, that does not take turns. */
const LASTING = TURNS;
const COUNT = TURNS + 1;

let kept: readonly string[] | undefined;
const keys: KeyObject[] = [];
let taken = 0;

/** @returns a private key that differs from the last seven that the process has taken */
export function takeRsaKey(): KeyObject {
  return keyAt(taken++ % TURNS);
}

/** @returns a private key, always the same, that `takeRsaKey` never returns */
export const lastingRsaKey = (): KeyObject => keyAt(LASTING);

function keyAt(index: number): KeyObject {
  kept ??= readKept();
  const pem = kept[index];
  keys[index] ??= pem === undefined ? generateKeyPairSync('rsa', LENGTH).privateKey : createPrivateKey(pem);
  return keys[index];
}

/** Makes the keys for the processes of a run, if no run of this tree has. */
export async function prepareRsaKeys(): Promise<void> {
  if (readKept().length === COUNT) return;
  const made = await Promise.all(Array.from({ length: COUNT }, () => promisify(generateKeyPair)('rsa', LENGTH)));
  const texts = made.map(({ privateKey }) => privateKey.export({ type: 'pkcs8', format: 'pem' }));
  mkdirSync(dirname(FILE), { recursive: true });
  // Another run of the same tree may be reading it.
  const unfinished = `${FILE}.${process.pid}`;
  writeFileSync(unfinished, JSON.stringify(texts), { mode: 0o600 });
  renameSync(unfinished, FILE);
}

/** @returns none where no run has made them */
function readKept(): readonly string[] {
  try {
    return JSON.parse(readFileSync(FILE, 'utf8')) as string[];
  } catch {
    return [];
  }
}
