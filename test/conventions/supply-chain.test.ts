import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { listLicences, renderLicences } from '../../src/dev/docs/licences.js';
import type { Bom } from '../../src/dev/docs/sbom.js';
import { readSource, repository } from '../support/source-tree.js';
import { onlyInFull, t } from '../support/tap.js';

onlyInFull('packages and their licences, which --changed and test:full check');

/**
 * Licences that permit use, modification and distribution, also in closed products. Review others before adding them.
 */
const PERMISSIVE = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'MIT-0',
  'WTFPL',
];

const lockfile = JSON.parse(readSource('package-lock.json').text);
const packages = listLicences(lockfile);

t.test('docs/licences.md is what npm run docs writes', async (t) => {
  t.equal(readSource('docs/licences.md').text, renderLicences(lockfile));
});

t.test('every production package has a permitted licence, the same as in its installed copy', async (t) => {
  t.ok(packages.length > 50);
  for (const { name, licence, path } of packages) {
    t.ok(PERMISSIVE.includes(licence), `${name} is under ${licence || 'no licence'}`);
    // Binaries of other platforms are not here.
    if (existsSync(`${repository}${path}/package.json`)) {
      t.equal(JSON.parse(readSource(`${path}/package.json`).text).license, licence, name);
    }
  }
});

t.test('npm run sbom lists each of them with its hash, and no development package', async (t) => {
  // As `npm run sbom` after the build.
  const script = `${repository}dist/src/dev/docs/print-sbom.js`;
  const { stdout } = await promisify(execFile)(process.execPath, [script], { maxBuffer: 2 ** 25 });
  const { bomFormat, metadata, components, dependencies } = JSON.parse(stdout) as Bom;
  t.equal(bomFormat, 'CycloneDX');
  t.equal(metadata.component.name, 'latchkey');
  const listed = new Set(components.map(({ name, version }) => `${name}@${version}`));
  const wanted = new Set(packages.map(({ name, version }) => `${name}@${version}`));
  t.same(
    [...wanted].filter((name) => !listed.has(name)),
    [],
    'none is missing',
  );
  t.same(
    [...listed].filter((name) => !wanted.has(name)),
    [],
    'none is too many',
  );
  for (const name of ['pg', 'nodemailer', '@uwsjs/core'])
    t.ok(
      components.some((component) => component.name === name),
      name,
    );
  const withHash = components.filter(({ hashes }) => hashes?.some(({ alg }) => alg === 'SHA-512'));
  t.ok(withHash.length > packages.length / 2, `${withHash.length} of ${components.length} have a hash`);
  t.equal(dependencies.length, components.length + 1, 'the dependency graph includes Latchkey');
});

t.test('SECURITY.md links to them', async (t) => {
  const { text } = readSource('SECURITY.md');
  for (const named of ['docs/licences.md', 'npm run --silent sbom', 'THREATS.md']) t.ok(text.includes(named), named);
});
