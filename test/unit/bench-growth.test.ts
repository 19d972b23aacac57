import { randomUUID } from 'node:crypto';
import t from 'tap';
import { assertRoom, estimateDiskBytes, parseSizes } from '../../bench/lib/growth-data.js';
import { costTable, describeGrowth, sizeTable } from '../../bench/lib/growth-report.js';
import { environmentOf } from '../../bench/lib/servers.js';
import { openTokenMint } from '../../bench/lib/token-mint.js';
import { requestFor } from '../../bench/lib/traffic.js';
import { verifyAccessToken } from '../../src/server/accounts/access-token.js';
import { deriveKeys } from '../../src/server/accounts/keys.js';
import { readCursor } from '../../src/server/accounts/pagination.js';
import { openRefreshToken } from '../../src/server/accounts/refresh-token.js';
import { loadConfig } from '../../src/server/config/load.js';

t.test('sizes are numbers of users, with k and m', async (t) => {
  t.same(parseSizes('1m, 10K,20000,10k'), [10_000, 20_000, 1_000_000]);
  for (const text of ['', '10', '1.5m', '10g', '10k,', '2000m', '-1k'])
    t.throws(() => parseSizes(text), /--sizes/, text);
});

t.test('the disk is asked before it is filled', async (t) => {
  const lines: string[] = [];
  assertRoom([1000], process.cwd(), (line) => lines.push(line));
  t.match(lines, [/disk: 0\.0 GB needed, [\d.]+ GB free/]);
  t.throws(() => assertRoom([1e12], process.cwd(), () => undefined), /not enough room/);
  t.ok(estimateDiskBytes([10_000_000]) > 10_000_000 * 1300, 'more than was measured for ten million');
});

t.test('minted tokens are those of the server', async (t) => {
  const options = { root: '', databaseUrl: 'postgres://a@b/c', cwd: '', logLevel: 'info' };
  const { config } = loadConfig({ environment: environmentOf(options, 0), file: null });
  const keys = deriveKeys(config);
  const mint = openTokenMint(options);
  const session = {
    ...{ session_id: randomUUID(), user_id: randomUUID(), email: 'a@example.com' },
    created_at: '2026-01-02T03:04:05.678901+00:00',
  };
  const account = mint.accountOf(session, 130);
  t.same(openRefreshToken(account.refreshToken, keys.refreshToken.accepted(0)), {
    sessionId: session.session_id,
    generation: 130,
  });
  const now = Math.floor(Date.now() / 1000);
  t.match(verifyAccessToken(account.accessToken, keys.accessToken.accepted(0), now), {
    ...{ sub: session.user_id, session_id: session.session_id, aud: config.jwtAudience },
  });
  const reader = mint.readerAt(session);
  t.match(verifyAccessToken(reader.accessToken, keys.accessToken.accepted(0), now), { role: 'service_role' });
  const { path } = requestFor('page', reader, '');
  t.match(readCursor(new URL(path, 'http://localhost').searchParams as never), {
    limit: 50,
    after: { createdAt: session.created_at, id: session.user_id },
  });
});

t.test('every size beside the smallest, and bytes of a row', async (t) => {
  const sample = (rate: number, database: number) => [{ requestsPerSecond: rate, cpuMicroseconds: { database } }];
  const of = (rate: number, database: number) => ({
    ...{ refresh: sample(rate, database), user: sample(rate, database), lookUp: sample(rate, database) },
    ...{ page: sample(rate, database), countedPage: sample(rate, database) },
  });
  const relations = [
    { name: 'users', of_table: 'users', bytes: 4_000_000 },
    { name: 'users_pkey', of_table: 'users', bytes: 1_000_000 },
    { name: 'users_email_key', of_table: 'users', bytes: 1_500_000 },
    { name: 'identities', of_table: 'identities', bytes: 2_000_000 },
    { name: 'sessions', of_table: 'sessions', bytes: 1_000_000 },
  ] as const;
  const sizes = [
    { users: 10_000, fillSeconds: 1, relations, samples: of(1000, 50) },
    { users: 1_000_000, fillSeconds: 60, relations, samples: of(800, 75) },
  ];
  const { rows } = costTable(sizes);
  t.same(rows.slice(0, 2), [
    ['refresh grant', '10,000', '1,000', '50.0', '', ''],
    ['refresh grant', '1,000,000', '800', '75.0', '0.80', '1.50'],
  ]);
  const timedOut = { ...sizes[1]!, samples: { ...sizes[1]!.samples, countedPage: [{ requestsPerSecond: 0 }] } };
  t.same(costTable([sizes[0]!, timedOut]).rows.at(-1)?.slice(1), ['1,000,000', '0', '–', '0', '–']);
  t.same(sizeTable(sizes.slice(0, 1)).rows, [['10,000', '400 + 250', '200 + 0', '200 + 0', '9.50 MB']]);
  const machine = {
    ...{ date: '2026-11-21T12:00:00.000Z', commit: 'abc', cores: 2, cpu: 'CPU', memoryGb: 8, platform: 'linux x64' },
    ...{ node: 'v20', postgres: '18.4', pgbench: undefined, argon2: undefined, loadBefore: 0.1 },
  };
  const caption = describeGrowth(machine, sizes, { root: '', sizes: [], rounds: 5, seconds: 2, sharedBuffersGb: 1 });
  t.match(caption, /Not run here: 10,000,000 users\.$/);
  t.match(caption, /1,000,000 users in 60 s/);
});
