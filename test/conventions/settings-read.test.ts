import { allSettings, type Setting } from '../../src/server/config/settings.js';
import { findSettingReads } from '../support/setting-reads.js';
import { readTree } from '../support/source-tree.js';
import { onlyInFull, t } from '../support/tap.js';

onlyInFull(
  'a rule for sources, which --changed and test:full check; every setting in the documents: settings-documented',
);

/** Only one value is valid, so reading it has no effect. */
const hasOneValue = (setting: Setting): boolean => setting.kind === 'choice' && setting.choices.length === 1;

t.test('every setting is read by the code that it changes', async (t) => {
  const read = findSettingReads(readTree(['src'], '.ts').filter(({ path }) => !path.startsWith('src/server/config/')));
  const dead = allSettings.filter(({ path, setting }) => !read.has(path.at(-1)!) && !hasOneValue(setting));
  t.same(
    dead.filter(({ setting }) => setting.deprecated === undefined).map(({ setting }) => setting.variable),
    [],
    'none is read nowhere',
  );
  for (const { setting } of dead) t.match(setting.doc, /decides nothing|^Ignored/, `${setting.variable} is deprecated`);
});

t.test('the search finds reads, and nothing else', async (t) => {
  const text = `
    // config.jwtAudience
    type Part = Pick<Config, 'jwtIssuer'> & { siteUrl: string };
    const { jwtSecret: secret, port } = app.config;
    const { debug } = other;
    function f({ jwtKeyId }: Part, log: Log) {
      log.debug(settings.enabled, config['smtpHost'], other.url);
    }`;
  const read = findSettingReads([{ path: 'a.ts', text }]);
  const names = [
    'jwtAudience',
    'jwtIssuer',
    'siteUrl',
    'jwtSecret',
    'port',
    'debug',
    'jwtKeyId',
    'enabled',
    'smtpHost',
  ];
  t.same(
    names.filter((name) => read.has(name)),
    ['jwtSecret', 'port', 'jwtKeyId', 'enabled', 'smtpHost'],
  );
});
