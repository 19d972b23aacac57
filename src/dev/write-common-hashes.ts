/**
 * Writes server/passwords/common-hashes.ts: node dist/src/dev/write-common-hashes.js LIST, where LIST has one password a
 * line, the most common first. docs/licences.md names the list.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { commonKey } from '../server/passwords/common-list.js';

const COUNT = 10_000;
/** Shorter ones are rejected by AUTH_PASSWORD_MIN_LENGTH. */
const MIN_BYTES = 6;

const lines = readFileSync(process.argv[2]!, 'utf8').toLowerCase().split('\n');
const passwords = [...new Set(lines.filter((line) => Buffer.byteLength(line) >= MIN_BYTES))].slice(0, COUNT);
const keys = passwords.map(commonKey).sort(Buffer.compare);
writeFileSync(
  'src/server/passwords/common-hashes.ts',
  `/** Made by src/dev/write-common-hashes.ts: ${passwords.length} common passwords, as common-list.ts reads them. */
export const COMMON_HASHES =
  '${Buffer.concat(keys).toString('base64')}';
`,
);
