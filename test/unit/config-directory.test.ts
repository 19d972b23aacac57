import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ConfigError, loadConfig } from '../../src/server/config/load.js';
import { testEnvironment } from '../support/server.js';
import { t } from '../support/tap.js';

const environment = testEnvironment('postgres://localhost/db', { SITE_URL: 'https://environment.example.com' });

function load(directory: string) {
  const { config, notices, sources } = loadConfig({ environment, file: null, directory });
  return { site: config.siteUrl, exp: config.jwtExpiresInSeconds, notices, label: sources.get('siteUrl')?.label };
}

const site = (name: string) => `AUTH_SITE_URL=https://${name}.example.com\n`;

t.test('folder: its files are over the environment, the later name over the earlier', async (t) => {
  const directory = t.testdir({
    '10.env': `${site('ten')}AUTH_JWT_EXP=10m\n`,
    '20.env': site('twenty'),
    'x.txt': site('x'),
  });
  t.match(load(directory), { site: 'https://twenty.example.com', exp: 600, label: join(directory, '20.env') });
});

t.test('folder: of x.env and x.json only the JSON is read; subfolders are not; links to files are', async (t) => {
  const directory = t.testdir({ 'a.env': `${site('env')}AUTH_JWT_EXP=10m\n` });
  writeFileSync(join(directory, 'a.json'), JSON.stringify({ GOTRUE_SITE_URL: 'https://json.example.com' }));
  mkdirSync(join(directory, 'z.env'));
  writeFileSync(join(directory, 'z.env', 'inner.env'), site('inner'));
  t.match(load(directory), { site: 'https://json.example.com', exp: 3600 });
  mkdirSync(join(directory, '..data'));
  writeFileSync(join(directory, '..data', 'linked'), site('linked'));
  symlinkSync(join(directory, '..data', 'linked'), join(directory, 'b.env'));
  t.equal(load(directory).site, 'https://linked.example.com');
});

t.test('folder: a missing one is a notice, not a fault', async (t) => {
  const { site: found, notices } = load(join(t.testdir(), 'nowhere'));
  t.equal(found, 'https://environment.example.com');
  t.match(notices.map(({ message }) => message).join(), /nowhere does not exist: nothing is read from it/);
});

t.test('JSON: every fault is named, without the values', async (t) => {
  const faultsOf = (text: string) => {
    try {
      loadConfig({ environment, file: join(t.testdir({ 'c.json': text }), 'c.json') });
    } catch (error) {
      return (error as ConfigError).message;
    }
    return '';
  };
  t.match(faultsOf('{"AUTH_JWT_EXP": 600}'), /c\.json member AUTH_JWT_EXP must be a string: put the value in double/);
  t.match(faultsOf('{"AUTH_SMTP_PASS": "my-secret'), /c\.json is not valid JSON/);
  t.notMatch(faultsOf('{"AUTH_SMTP_PASS": "my-secret'), /my-secret/);
  t.match(faultsOf('["a"]'), /c\.json must be one JSON object/);
  t.equal(faultsOf('{"AUTH_JWT_EXP": "10m"}'), '');
});

t.test('RELOADING_SIGNAL_NUMBER: a signal that ends the process is refused with the cure', async (t) => {
  const with9 = { ...environment, AUTH_RELOADING_SIGNAL_ENABLED: 'true', AUTH_RELOADING_SIGNAL_NUMBER: '9' };
  t.throws(
    () => loadConfig({ environment: with9, file: null }),
    /AUTH_RELOADING_SIGNAL_NUMBER is a signal that cannot reload: use 10/,
  );
});
