import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../../src/server/config/load.js';
import { openLog } from '../../src/server/telemetry/log.js';
import { testEnvironment } from '../support/server.js';
import { t } from '../support/tap.js';

/** LOG_LEVEL → what is still written, most severe first (entries call a warning by its full name). */
const levels: Readonly<Record<string, readonly string[]>> = {
  panic: ['fatal'],
  fatal: ['fatal'],
  error: ['fatal', 'error'],
  warn: ['fatal', 'error', 'warning'],
  warning: ['fatal', 'error', 'warning'],
  info: ['fatal', 'error', 'warning', 'info'],
  debug: ['fatal', 'error', 'warning', 'info', 'debug'],
  trace: ['fatal', 'error', 'warning', 'info', 'debug'],
  WARN: ['fatal', 'error', 'warning'],
  Debug: ['fatal', 'error', 'warning', 'info', 'debug'],
};

t.test('each LOG_LEVEL in any case passes its levels', async (t) => {
  const directory = t.testdir({});
  for (const [level, written] of Object.entries(levels)) {
    const environment = { ...testEnvironment('postgres://a@b/c'), LOG_LEVEL: level };
    const { config } = loadConfig({ environment, file: null });
    const file = join(directory, `${level}.log`);
    const log = await openLog({ level: config.logLevel, file });
    for (const name of ['fatal', 'error', 'warn', 'info', 'debug'] as const) log[name]({ component: 'test' }, 'said');
    log.flush();
    const lines = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    t.same(
      lines.map((line) => line.level),
      written,
      level,
    );
    t.match(lines[0], { msg: 'said', component: 'test', time: /^\d{4}-\d\d-\d\dT[\d:.]+Z$/ });
    t.equal(log.failures(), 0);
  }
});

t.test('another name is an error at start', async (t) => {
  const environment = { ...testEnvironment('postgres://a@b/c'), LOG_LEVEL: 'loud' };
  t.throws(() => loadConfig({ environment, file: null }), /LOG_LEVEL must be/);
});
