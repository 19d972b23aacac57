import fc from 'fast-check';
import { readBanDuration } from '../../src/server/admin/ban-duration.js';
import { ConfigError, loadConfig, parseSetting } from '../../src/server/config/load.js';
import { parseDuration } from '../../src/server/config/parse.js';
import { allSettings, mainNameOf } from '../../src/server/config/settings.js';
import { anyCharacter, holds } from '../support/properties.js';
import { t } from '../support/tap.js';

const required = {
  AUTH_JWT_SECRET: 'a secret for tests of at least 32 bytes',
  AUTH_DB_DRIVER: 'postgres',
  DATABASE_URL: 'postgres://127.0.0.1/latchkey',
  AUTH_API_EXTERNAL_URL: 'http://localhost:9999',
  AUTH_SITE_URL: 'http://localhost:3000',
};
const names = allSettings.map(({ setting }) => mainNameOf(setting));

/** Text that would be recognised in a message. */
const MARK = 'Zq7kWx';
const text = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 30 }),
  fc.constantFrom(
    '',
    'true',
    '0',
    '-1',
    '1e9',
    '10s',
    '1h30m',
    '0x10',
    'a,b',
    'a:b',
    'https://x.example',
    '://',
    '{}',
    '*',
    '\\',
  ),
  fc.tuple(fc.string({ maxLength: 10 }), fc.string({ maxLength: 10 })).map(([a, b]) => `${a}${MARK}${b}`),
  fc.nat().map(String),
);

t.test('SEC-74: any text of a setting yields a value or a fault that does not repeat it', async (t) => {
  const property = fc.property(fc.constantFrom(...allSettings), text, ({ setting }, given) => {
    const parsed = parseSetting(setting, given);
    return 'value' in parsed || (parsed.fault !== '' && !parsed.fault.includes(MARK));
  });
  holds(t, property, 5000);
});

t.test('SEC-74: any environment yields a configuration or all faults, by name and without values', async (t) => {
  const some = fc.array(fc.tuple(fc.constantFrom(...names), text), { maxLength: 8 });
  let refused = 0;
  const property = fc.property(some, (settings) => {
    try {
      const { config } = loadConfig({ environment: { ...required, ...Object.fromEntries(settings) }, file: null });
      return Object.isFrozen(config);
    } catch (error) {
      refused++;
      return (
        error instanceof ConfigError &&
        names.some((name) => error.message.includes(name)) &&
        !error.message.includes(MARK)
      );
    }
  });
  holds(t, property, 300);
  t.ok(refused > 10, `${refused} were refused`);
});

const UNITS = { h: 3600e9, m: 60e9, s: 1e9, ms: 1e6, us: 1e3, ns: 1 } as const;
const part = fc.tuple(fc.nat(999), fc.constantFrom(...(Object.keys(UNITS) as (keyof typeof UNITS)[])));

t.test('durations: the sum of their parts, in any order; a ban reads them the same', async (t) => {
  const property = fc.property(
    fc.array(part, { minLength: 1, maxLength: 4 }),
    fc.constantFrom('', '+'),
    (parts, sign) => {
      const word = sign + parts.map(([amount, unit]) => `${amount}${unit}`).join('');
      const seconds = parts.reduce((sum, [amount, unit]) => sum + amount * UNITS[unit], 0) / 1e9;
      const parsed = parseDuration(word);
      const ban = readBanDuration(word);
      const isNear = (value: number) => Math.abs(value - seconds) <= 1e-9 * Math.max(1, seconds);
      return 'value' in parsed && isNear(parsed.value) && isNear(ban?.seconds ?? 0);
    },
  );
  holds(t, property, 2000);
});

t.test('durations: nothing negative, nothing endless, and never a throw', async (t) => {
  const word = fc.oneof(
    fc.string({ unit: fc.constantFrom(...'0123456789.+-hmsnuµ e', '\u0661'), maxLength: 12 }),
    fc.bigInt({ min: 0n, max: 10n ** 30n }).map(String),
    fc.double().map(String),
  );
  const property = fc.property(word, (given) => {
    const parsed = parseDuration(given);
    return 'fault' in parsed ? parsed.fault !== '' : parsed.value >= 0 && parsed.value <= 9_223_372_036;
  });
  holds(t, property, 3000);
});
