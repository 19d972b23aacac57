/** The import rules of .dependency-cruiser.mjs, which `npm run lint` applies to src, catch each kind of violation. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repository } from '../support/source-tree.js';
import { onlyInFull, t } from '../support/tap.js';

onlyInFull('6 s of processor time for the rules of the linter, which no change to src can break');

/** The layer of http. */
const UPWARDS = 'an import may not go upwards from layer 3';

/** @returns `file: rule` for each violation in a tree of files below src/ */
function cruise(directory: string, files: Readonly<Record<string, string>>): string[] {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(directory, 'src', dirname(path)), { recursive: true });
    writeFileSync(join(directory, 'src', path), text);
  }
  symlinkSync(join(repository, 'node_modules'), join(directory, 'node_modules'));
  for (const name of ['.dependency-cruiser.mjs', 'tsconfig.json'])
    copyFileSync(join(repository, name), join(directory, name));
  const { stdout } = spawnSync('node_modules/.bin/depcruise', ['src', '-T', 'json'], {
    cwd: directory,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  const { violations } = JSON.parse(stdout).summary as { violations: { from: string; rule: { name: string } }[] };
  return [...new Set(violations.map(({ from, rule }) => `${from.slice('src/'.length)}: ${rule.name}`))].sort();
}

t.test('each rule catches its violation, and nothing else is one', async (t) => {
  const violations: Readonly<Record<string, readonly [text: string, ...rules: string[]]>> = {
    'server/runtime/start.ts': ["import '../commands/other.js';", 'an import may not go upwards from layer 11'],
    'caching/cycle.ts': ["import type { B } from './lru.js';", 'no import cycles, types included'],
    'db/outside.ts': ["import { a } from '../../test/a.js';", 'outside src'],
    'db/missing.ts': ["import './nowhere.js';", 'not found'],
    'db/unowned.ts': ["import ts from 'typescript';", 'a package without an owner'],
    'db/module.ts': ["import vm from 'node:vm';", 'node:vm has another owner'],
    'attic/old.ts': ["import '../db/pool.js';", 'a place without a row'],
    'server/codes/package.ts': ["import type pg from 'pg';", 'pg has another owner'],
    'server/codes/inner.ts': ["import '../accounts/sign-in.js';", 'server/accounts/ does not expose this'],
    'server/codes/contract.ts': ["import '../http/types.js';", 'server/codes/ may import only types of this'],
    'server/commands/entry.ts': ["import '../main.js';", 'an entry is not imported'],
    'server/commands/serving.ts': ["import '../../dev/mailbox/index.js';", 'only latchkey dev has this'],
    'server/guards/other.ts': ["import './limits.js';", 'server/guards/ may not import this'],
    'server/mail/db.ts': ["import '../../db/pool.js';", 'server/mail/ may import only types of this'],
    'server/http/a.ts': ["import '../accounts/audit.js';", 'server/http/ may not import this', UPWARDS],
    'server/http/b.ts': ["export * from '../accounts/audit.js';", 'server/http/ may not import this', UPWARDS],
    'server/http/c.ts': [
      "export const f = () => import('../accounts/audit.js');",
      'server/http/ may not import this',
      UPWARDS,
    ],
    'server/http/d.ts': ["import type { A } from '../accounts/audit.js';", 'server/http/ may not import this', UPWARDS],
    'server/http/e.ts': [
      "export type A = import('../accounts/audit.js').A;",
      'server/http/ may not import this',
      UPWARDS,
    ],
    'server/http/f.ts': ["import a = require('../accounts/audit.js');", 'server/http/ may not import this', UPWARDS],
  };
  const permitted = {
    'caching/lru.ts': "import { a } from './cycle.js';",
    'dev/mailbox/index.ts': 'export type A = 1;',
    'db/pool.ts': "import pg from 'pg'; import { join } from 'node:path';",
    'server/accounts/audit.ts': 'export type A = 1;',
    'server/accounts/sign-in.ts':
      "import type { Reply } from '../http/types.js'; import { db } from '../../db/pool.js';",
    'server/runtime/boot.ts':
      "import '../../db/pool.js'; import type { Thread } from './thread.js'; import '../accounts/audit.js';",
    'server/commands/dev.ts': "import '../../dev/mailbox/index.js';",
    'server/commands/other.ts': 'export type A = 1;',
    'server/codes/one-time.ts': "import '../accounts/audit.js'; import './verify.js';",
    'server/codes/verify.ts': "import type { A } from '../../db/pool.js';",
    'server/endpoints/token.ts': "import '../accounts/sign-in.js';",
    'server/guards/limits.ts': "import '../../db/pool.js';",
    'server/http/types.ts': 'export type Reply = 1;',
    'server/main.ts': "import './runtime/boot.js';",
    'server/runtime/thread.ts': 'export type Thread = 1;',
    '../test/a.ts': 'export const a = 1;',
  };
  const planted = Object.entries(violations).map(([path, [text]]) => [path, text]);
  const found = cruise(t.testdir(), { ...permitted, ...Object.fromEntries(planted) });
  t.same(
    found,
    Object.entries(violations)
      .flatMap(([path, [, ...rules]]) => rules.map((rule) => `${path}: ${rule}`))
      .sort(),
  );
});
