import t from 'tap';
import { findLongFiles, findNameFaults, findScriptFaults, findTextFaults } from '../support/check-file.js';
import { readSource, readTree } from '../support/source-tree.js';

/** Files of more than 250 lines, and why each is one thing all the same. */
const longFiles: Readonly<Record<string, string>> = {
  'src/db/users.ts': 'one function for each statement of users.sql, and the rows they share',
  'src/server/errors.ts': 'the catalogue of refusals, which is data, and what reads it',
};

const prose = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'THREATS.md',
  'Dockerfile',
  'package.json',
];
const programs = readTree(['src', 'test', 'bench'], '.ts');

t.test('source files stay short', async (t) => {
  t.same(findLongFiles(readTree(['src'], '.ts'), longFiles), []);
});

t.test('no console in the server, no default exports, no tests left out', async (t) => {
  t.ok(programs.length > 100, 'the sources were found');
  t.same(programs.flatMap(findScriptFaults), []);
});

t.test('nothing unfinished, no paths of a machine', async (t) => {
  const others = readTree(['sql', 'docs', '.ci', 'bin', 'deploy']);
  t.same([...programs, ...others, ...prose.map(readSource)].flatMap(findTextFaults), []);
});

t.test('names', async (t) => {
  const named = [...programs, ...readTree(['sql', 'docs'])];
  t.same(
    named.flatMap(({ path }) => findNameFaults(path)),
    [],
  );
});
