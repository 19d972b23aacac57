/** The programs of examples/ run with what `npm ci` installs, and with the same versions elsewhere. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readSource, readTree, repository } from '../support/source-tree.js';
import { t } from '../support/tap.js';

const { dependencies, devDependencies, files } = JSON.parse(readSource('package.json').text);
/** A stack of containers is no program: test/app-schema/stack.test.ts. Those of guides have packages of their own: guides.test.ts. */
const others = [
  'postgres-stack',
  ...readdirSync(join(repository, 'docs/guides')).map((page) => page.replace('.md', '')),
];
const names = readdirSync(join(repository, 'examples')).filter((name) => !others.includes(name));

t.test('each example has a README and the packages of this repository', async (t) => {
  t.same(names, ['mcp-server', 'postgres-rls', 'relying-party']);
  for (const name of names) {
    const manifest = JSON.parse(readSource(`examples/${name}/package.json`).text);
    t.equal(manifest.private, true, name);
    t.ok(readSource(`examples/${name}/README.md`).text.includes(`node examples/${name}/server.js`));
    for (const [wanted, version] of Object.entries(manifest.dependencies)) {
      t.equal(version, { ...devDependencies, ...dependencies }[wanted], `${name}: ${wanted}`);
    }
    const imported = readTree([`examples/${name}`], '.js').flatMap(({ text }) =>
      [...text.matchAll(/from '(?!node:|\.)((?:@[^/']+\/)?[^/']+)/g)].map(([, wanted]) => wanted!),
    );
    t.same([...new Set(imported)].sort(), Object.keys(manifest.dependencies).sort(), `${name} imports`);
  }
});

t.test('the published package has no example', async (t) => {
  t.notOk(files.some((entry: string) => entry.startsWith('examples')));
});
