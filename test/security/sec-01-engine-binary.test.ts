import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describeEngine } from '../../src/server/http/engine.js';
import { t } from '../support/tap.js';

/** sha256 of the binaries that were reviewed, by release and Node. A new engine release means a new review. */
const KNOWN_BINARIES = new Map([
  ['20.51.4 linux-x64-20', '4d482084b665c225892917ee0e9b9572d89eaa6f3dc200ff5e536293d3456c89'],
  ['20.51.4 linux-x64-22', 'f687e7c3666b5cca9d355184bbf07bb0550f5ba0d3ffd453248ccfec552dde6c'],
  ['20.69.0 linux-x64-22', '34d235864db874fbf3aeafd48b63f6fb80f61fb584a86f1e5f7b0291dbd7a3d4'],
  ['20.69.0 linux-x64-24', '177efdc682425d754474bd30f9586c487fa6694f790f3406a23885d0e61c07a0'],
  ['20.69.0 linux-x64-26', '604375741bf77780b34e7e299af9274cb1f56d73732201d19e3d8d8448176795'],
]);

const root = new URL('../../../', import.meta.url);
const read = (path: string) => JSON.parse(readFileSync(new URL(path, root), 'utf8'));

t.test('SEC-01: the engine is a pinned package, from the lockfile, with a known binary', async (t) => {
  const { packages } = read('package-lock.json');
  for (const [alias, version] of [
    ['uWebSockets.js', '20.51.4'],
    ['uWebSockets.js-next', '20.69.0'],
  ]) {
    t.equal(read('package.json').dependencies[alias!], `npm:@uwsjs/core@${version}`);
    t.match(packages[`node_modules/${alias}`], { name: '@uwsjs/core', version, integrity: /^sha512-/ });
  }
  for (const key of KNOWN_BINARIES.keys()) {
    const [version, platform] = key.split(' ');
    const locked = ['', 'node_modules/uWebSockets.js-next/'].map(
      (path) => packages[`${path}node_modules/@uwsjs/${platform}`],
    );
    t.match(
      locked.find((entry) => entry?.version === version),
      { integrity: /^sha512-/ },
      key,
    );
  }

  const version = describeEngine().split(' ')[1];
  const binaries = Object.keys(createRequire(import.meta.url).cache).filter((path) => path.endsWith('/uws.node'));
  t.equal(binaries.length, 1, 'one binary is loaded');
  const platform = `${process.platform}-${process.arch}-${process.versions.node.split('.')[0]}`;
  const known = KNOWN_BINARIES.get(`${version} ${platform}`);
  t.ok(known !== undefined, `the binary of ${version} for ${platform} was reviewed`);
  t.equal(createHash('sha256').update(readFileSync(binaries[0]!)).digest('hex'), known);
});
