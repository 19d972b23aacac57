import { randomUUID } from 'node:crypto';
import { assertDiskSpace, estimateDiskBytes, parseSizes } from '../../bench/lib/growth-data.js';
import { costTable, reportGrowth, sizeTable } from '../../bench/lib/growth-report.js';
import { requestFor } from '../../bench/lib/requests.js';
import { configOf } from '../../bench/lib/servers.js';
import { openTokenMint } from '../../bench/lib/tokens.js';
import { listKeyOf, readCursor } from '../../src/server/admin/pagination.js';
import { openTokenKeys } from '../../src/server/keys/token-keys.js';
import { verifyAccessToken } from '../../src/server/sessions/access-token.js';
import { deriveKeys } from '../../src/server/sessions/keys.js';
import { openRefreshToken } from '../../src/server/sessions/refresh-token.js';
import { t } from '../support/tap.js';

t.test('sizes are numbers of users, with k and m', async (t) => {
  t.same(parseSizes('1m, 10K,20000,10k'), [10_000, 20_000, 1_000_000]);
  for (const text of ['', '10', '1.5m', '10g', '10k,', '2000m', '-1k'])
    t.throws(() => parseSizes(text), /--sizes/, text);
});

t.test('the disk space is checked before it is used', async (t) => {
  const lines: string[] = [];
  assertDiskSpace([1000], (line) => lines.push(line), process.cwd());
  t.match(lines, [/disk: 0\.0 GB needed, [\d.]+ GB free/]);
  t.throws(() => assertDiskSpace([1e12], () => undefined, process.cwd()), /not enough disk space/);
  t.ok(estimateDiskBytes([10_000_000]) > 10_000_000 * 1300, 'more than was measured for ten million');
});

t.test('minted tokens are those of the server', async (t) => {
  const options = { databaseUrl: 'postgres://a@b/c' };
  const config = configOf(options);
  const keys = deriveKeys(config);
  const tokenKeys = openTokenKeys(config);
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
  t.match(verifyAccessToken(account.accessToken, tokenKeys.accepted(0), now), {
    ...{ sub: session.user_id, session_id: session.session_id, aud: config.jwtAudience },
  });
  const reader = mint.readerAt(session);
  t.match(verifyAccessToken(reader.accessToken, tokenKeys.accepted(0), now), { role: 'service_role' });
  const { path } = requestFor('page', reader, '');
  t.match(readCursor(new URL(path, 'http://localhost').searchParams as never, listKeyOf(false, null)), {
    limit: 50,
    after: { createdAt: session.created_at, id: session.user_id },
  });
});

t.test('ratios to the smallest size, and bytes of a row', async (t) => {
  const sample = (rate: number, database: number) => [{ requestsPerSecond: rate, cpuMicroseconds: { database } }];
  const of = (rate: number, database: number) => ({
    ...{ refresh: sample(rate, database), user: sample(rate, database), lookUp: sample(rate, database) },
    ...{ page: sample(rate, database), countedPage: sample(rate, database) },
  });
  const tables = {
    users: { table: 4_000_000, indexes: 2_500_000 },
    identities: { table: 2_000_000, indexes: 0 },
    sessions: { table: 1_000_000, indexes: 0 },
  };
  const sizes = [
    { users: 10_000, fillSeconds: 1, tables, samples: of(1000, 50) },
    { users: 1_000_000, fillSeconds: 60, tables, samples: of(800, 75) },
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
    ...{ node: 'v20', postgres: '18.4', loadBefore: 0.1 },
  };
  const options = { sizes: [10_000, 1_000_000], rounds: 5, seconds: 2, sharedBuffersGb: 1 };
  const { notes, chart } = reportGrowth({ machine, options, sizes });
  t.match(notes[0], /1 GB of shared buffers.*5 rounds of 2 s.*1,000,000 users in 60 s/);
  t.notMatch(chart, /NaN|undefined/);
});
