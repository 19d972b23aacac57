/** `npm run --silent sbom`: the bill of materials of what is installed for production, as CycloneDX, on standard output. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Lockfile } from './licences.js';
import { type Bom, narrowBom } from './sbom.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const args = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only'];
const text = execFileSync('npm', args, {
  cwd: root,
  encoding: 'utf8',
  maxBuffer: 2 ** 25,
  stdio: ['ignore', 'pipe', 'inherit'],
});
const lockfile = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8')) as Lockfile;
process.stdout.write(`${JSON.stringify(narrowBom(JSON.parse(text) as Bom, lockfile), null, 2)}\n`);
