/** Every error is explained to operators, with checks and settings that exist. */

import { loadConfig } from '../../src/server/config/load.js';
import { allSettings, mainNameOf } from '../../src/server/config/settings.js';
import { checks } from '../../src/server/console/explanations/check-names.js';
import { explanations } from '../../src/server/console/explanations/index.js';
import { limitSettings } from '../../src/server/console/explanations/limit-settings.js';
import { reasons } from '../../src/server/console/explanations/reasons.js';
import { ruleOrderOf } from '../../src/server/console/explanations/rule-order.js';
import { endpoints } from '../../src/server/endpoints/index.js';
import { catalogue } from '../../src/server/errors.js';
import { clientRules } from '../../src/server/guards/limit-rules.js';
import { testEnvironment } from '../support/server.js';
import { readTree } from '../support/source-tree.js';
import { t } from '../support/tap.js';

const names = new Set(allSettings.map(({ setting }) => mainNameOf(setting)));

t.test('each error of the catalogue has an explanation', async (t) => {
  t.same(Object.keys(explanations).sort(), Object.keys(catalogue).sort());
  for (const [error, [check, advice, ...settings]] of Object.entries(explanations)) {
    t.ok(Object.hasOwn(checks, check), error);
    t.match(advice, /^.{15,}[.…]$/, error);
    t.same(
      settings.filter((name) => !names.has(name)),
      [],
      error,
    );
  }
});

t.test('checks, limits and orders name what exists', async (t) => {
  for (const [check, [, ...settings]] of Object.entries(checks)) {
    t.same(
      settings.filter((name: string) => !names.has(name)),
      [],
      check,
    );
  }
  const { config } = loadConfig({ environment: testEnvironment('postgres://localhost/x') });
  const limits = Object.keys(clientRules(config)).map((limit) => `client.${limit}`);
  t.same(
    Object.keys(limitSettings)
      .filter((name) => name.startsWith('client.'))
      .sort(),
    limits.sort(),
  );
  t.ok(
    Object.values(limitSettings)
      .flat()
      .every((name) => names.has(name)),
  );
  const known = endpoints.filter(({ method, path }) =>
    [null, 'password', 'refresh_token', 'pkce'].some((grant) => ruleOrderOf(method, path, grant).length > 0),
  );
  t.same(known.map(({ path }) => path).sort(), ['/recover', '/signup', '/token', '/ui/sign-in', '/verify', '/verify']);
});

t.test('each reason that is given has words, and each with words is given', async (t) => {
  const sources = readTree(['src/server'], '.ts').filter(({ path }) => !path.includes('/console/'));
  for (const [reason, [words]] of Object.entries(reasons)) {
    t.ok(
      sources.some(({ text }) => text.includes(`'${reason}'`)),
      reason,
    );
    t.match(words, /^.{20,}\.$/);
  }
  const given = sources.flatMap(({ text }) => [
    ...[...text.matchAll(/about: \{[^}]*reason: '(\w+)'/g)].map(([, name]) => name!),
    ...[...text.matchAll(/refuse\((?:'\w+', )?'([a-z]+_\w+)'\)/g)].map(([, name]) => name!),
  ]);
  t.ok(given.length > 8);
  t.same(
    given.filter((name) => !Object.hasOwn(reasons, name)),
    [],
  );
});
