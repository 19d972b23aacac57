import { readSource } from '../support/source-tree.js';
import { t } from '../support/tap.js';

interface Entry {
  readonly version?: string;
  readonly integrity?: string;
  readonly cpu?: readonly string[];
  readonly os?: readonly string[];
  readonly libc?: string | readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** @returns what `npm ci` would reject on any platform; npm itself checks only packages that its registry lists. */
function findLockFaults(packages: Readonly<Record<string, Entry>>): string[] {
  const faults: string[] = [];
  for (const [path, entry] of Object.entries(packages)) {
    for (const name of Object.keys({
      ...entry.dependencies,
      ...entry.devDependencies,
      ...entry.optionalDependencies,
    })) {
      if (!isReachable(path, name, packages))
        faults.push(`${path || 'the project'} needs ${name}, which is not locked`);
    }
    if (path !== '' && isServed(entry) && !entry.integrity?.startsWith('sha512-'))
      faults.push(`${path} has no integrity`);
  }
  return faults;
}

/** Whether a package is for Linux on x64 with glibc, where everything that is installed is checked against its hash. */
function isServed({ cpu = ['x64'], os = ['linux'], libc = 'glibc' }: Entry): boolean {
  return cpu.includes('x64') && os.includes('linux') && libc.includes('glibc');
}

/** Resolves a package as Node does: in the package's own node_modules, then one level up, and so on. */
function isReachable(path: string, name: string, packages: Readonly<Record<string, Entry>>): boolean {
  for (let at = path; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    if (Object.hasOwn(packages, `${at}${at === '' ? '' : '/'}node_modules/${name}`)) return true;
    if (!at.includes('/node_modules/')) return Object.hasOwn(packages, `node_modules/${name}`);
  }
}

const manifest = JSON.parse(readSource('package.json').text);
const { packages, lockfileVersion } = JSON.parse(readSource('package-lock.json').text);

t.test('the lockfile has every package on every platform, so that npm ci works', async (t) => {
  t.equal(lockfileVersion, 3);
  t.same(findLockFaults(packages), []);
  for (const kind of ['dependencies', 'optionalDependencies', 'devDependencies'] as const) {
    t.same(packages[''][kind], manifest[kind], `${kind} are those of package.json`);
    for (const [name, range] of Object.entries(manifest[kind])) {
      t.match(range, /^(?:npm:@?[\w./-]+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/, `${name} is pinned exactly`);
    }
  }
});

t.test('the engine is locked for every Node', async (t) => {
  for (const node of manifest.engines.node.match(/\d+(?=\.\d+\.)/g)) {
    t.match(packages[`node_modules/@uwsjs/linux-x64-${node}`], { integrity: /^sha512-/ });
  }
});

t.test('the check fails when it should', async (t) => {
  const good: Record<string, Entry> = {
    '': { dependencies: { a: '1' }, devDependencies: { b: '1' } },
    'node_modules/a': { integrity: 'sha512-x', optionalDependencies: { 'a-darwin': '1', c: '1' } },
    'node_modules/a/node_modules/c': { integrity: 'sha512-x', dependencies: { b: '1' } },
    'node_modules/a-darwin': { os: ['darwin'], cpu: ['arm64'] },
    'node_modules/b': { integrity: 'sha512-x' },
  };
  t.same(findLockFaults(good), []);
  const without = (path: string) => Object.fromEntries(Object.entries(good).filter(([key]) => key !== path));
  t.same(findLockFaults(without('node_modules/a-darwin')), ['node_modules/a needs a-darwin, which is not locked']);
  t.same(findLockFaults(without('node_modules/a/node_modules/c')), ['node_modules/a needs c, which is not locked']);
  t.same(findLockFaults(without('node_modules/b')), [
    'the project needs b, which is not locked',
    'node_modules/a/node_modules/c needs b, which is not locked',
  ]);
  t.same(findLockFaults({ ...good, 'node_modules/b': { integrity: 'sha1-x' } }), ['node_modules/b has no integrity']);
});
