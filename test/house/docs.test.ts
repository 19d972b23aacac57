import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';
import { renderErrorsPage } from '../../src/dev/docs/errors-page.js';
import { insertSettings } from '../../src/dev/docs/readme-settings.js';
import { catalogue } from '../../src/server/errors.js';
import { routes } from '../../src/server/routes/index.js';
import { readSource, readTree, repository } from '../support/source-tree.js';

const readme = readSource('README.md').text;
const pages = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', 'THREATS.md'].map(readSource);
const prose = [...pages, ...readTree(['docs'], '.md')];

t.test('what npm run docs writes is what is committed', async (t) => {
  t.equal(readSource('docs/errors.md').text, renderErrorsPage());
  t.equal(readme, insertSettings(readme));
  t.throws(() => insertSettings('# A README that lost its markers'), /markers|has no/);
});

t.test('every refusal is in docs/errors.md, under its status', async (t) => {
  const sections = new Map(
    renderErrorsPage()
      .split(/^## /m)
      .slice(1)
      .map((section) => [section.slice(0, 3), section]),
  );
  for (const [name, [status, code, message]] of Object.entries(catalogue)) {
    const [plain = ''] = message.split('<');
    t.ok(sections.get(String(status))?.includes(`| \`${code}\` | ${plain}`), name);
  }
});

t.test('the README lists the endpoints there are, and whom they serve', async (t) => {
  const callers = { anybody: 'none', user: 'user', admin: 'admin' };
  const listed = [...readme.matchAll(/^\| `([A-Z]+ \/\S*)` \| .* \| (anybody|user|admin) \|$/gm)].map(
    ([, endpoint, caller]) => `${endpoint} ${callers[caller as keyof typeof callers]}`,
  );
  t.same(
    listed,
    routes.map(({ method, path, auth }) => `${method} ${path} ${auth}`),
  );
});

t.test('links lead somewhere', async (t) => {
  for (const { path, text } of prose) {
    for (const [, target] of text.matchAll(/\]\((?!https?:)([^)#]+)/g)) {
      t.ok(existsSync(join(repository, dirname(path), target!)), `${path} links to ${target}`);
    }
  }
});

t.test('settings that the prose names exist', async (t) => {
  const settings = readSource('docs/settings.md').text;
  for (const { path, text } of prose) {
    for (const [name] of text.matchAll(/\bAUTH_[A-Z0-9_]+[A-Z0-9]\b/g)) {
      // AUTH_X_FILE names a file that holds AUTH_X, for secrets.
      const isThere = [name, name.replace(/_FILE$/, '')].some((known) => settings.includes(`\`${known}\``));
      t.ok(isThere, `${path} names ${name}`);
    }
  }
});

t.test('commands that the prose names exist', async (t) => {
  const commands = Object.keys((await import('../../src/server/commands/index.js')).commands);
  for (const { path, text } of prose) {
    for (const [, command] of text.matchAll(/(?:\/latchkey\.cjs|`latchkey|^latchkey) ([a-z]+)/gm)) {
      t.ok(commands.includes(command!), `${path} names latchkey ${command}`);
    }
  }
});
