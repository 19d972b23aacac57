import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import t from 'tap';

/** sha256 of the binaries we have looked at; a new engine release means a new look and new lines here. */
const KNOWN_BINARIES = new Map([
  ['linux-x64-20', '4d482084b665c225892917ee0e9b9572d89eaa6f3dc200ff5e536293d3456c89'],
  ['linux-x64-22', 'f687e7c3666b5cca9d355184bbf07bb0550f5ba0d3ffd453248ccfec552dde6c'],
]);

const root = new URL('../../../', import.meta.url);
const read = (path: string) => JSON.parse(readFileSync(new URL(path, root), 'utf8'));

t.test('SEC-01: the engine is the pinned package, from the lockfile, with the known binary', async (t) => {
  t.equal(read('package.json').dependencies['uWebSockets.js'], 'npm:@uwsjs/core@20.51.4');
  const { packages } = read('package-lock.json');
  t.match(packages['node_modules/uWebSockets.js'], { name: '@uwsjs/core', version: '20.51.4', integrity: /^sha512-/ });
  for (const platform of KNOWN_BINARIES.keys()) {
    t.match(packages[`node_modules/@uwsjs/${platform}`], { version: '20.51.4', integrity: /^sha512-/ }, platform);
  }

  const platform = `${process.platform}-${process.arch}-${process.versions.node.split('.')[0]}`;
  const require = createRequire(import.meta.url);
  require('uWebSockets.js');
  const binary = require.resolve(`@uwsjs/${platform}/uws.node`);
  t.ok(require.cache[binary] !== undefined, 'this is the file that was loaded');
  const known = KNOWN_BINARIES.get(platform);
  t.ok(known !== undefined, `the binary for ${platform} has been looked at`);
  t.equal(createHash('sha256').update(readFileSync(binary)).digest('hex'), known);
});
