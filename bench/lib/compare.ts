import { join } from 'node:path';
import { makeAccounts } from './accounts.js';
import type { BenchArguments } from './arguments.js';
import { BenchRig } from './bench-rig.js';
import { withCheckout } from './checkout.js';
import { type BenchDatabase, populate } from './database.js';
import { type ServerUnderTest, startServerUnderTest } from './servers.js';
import { median, medianRatio } from './statistics.js';
import { formatChange, formatNumber, textTable } from './table.js';
import type { Account } from './traffic.js';

/** Part of the requests a second that may be lost before the comparison fails. */
const TOLERATED_LOSS = 0.05;
const grants = ['refresh', 'password'] as const;
type Grant = (typeof grants)[number];

interface Side {
  readonly name: string;
  readonly server: ServerUnderTest;
  readonly accounts: readonly Account[];
  readonly rates: Record<Grant, number[]>;
}

/**
 * Measures POST /token of this checkout and of another revision in turns.
 * @param ref anything git can resolve
 * @returns the table, and whether either grant has lost more than 5 % (median of the ratios of each round)
 * @throws when the revision does not exist or does not build
 */
export async function compareRevisions(
  ref: string,
  root: string,
  database: BenchDatabase,
  wanted: BenchArguments,
  say: (line: string) => void,
): Promise<{ report: string; isSlower: boolean }> {
  const directory = join(database.directory, 'other');
  say(`checking out and building ${ref}`);
  return withCheckout(ref, root, directory, async () => {
    const rig = new BenchRig(database, wanted.seconds);
    const theirs = await openSide(ref, directory, database, wanted);
    const ours = await openSide('this checkout', root, database, wanted);
    for (const side of [theirs, ours]) await rig.load(side.server, 'refresh', side.accounts);
    for (let round = 1; round <= wanted.rounds; round += 1) {
      for (const grant of grants) {
        // Who goes first alternates: the second finds warmer caches.
        for (const side of round % 2 === 1 ? [theirs, ours] : [ours, theirs]) {
          const accounts = grant === 'password' ? side.accounts.slice(0, 16) : side.accounts;
          const { requestsPerSecond } = await rig.load(side.server, grant, accounts);
          side.rates[grant].push(requestsPerSecond);
          say(`round ${round}/${wanted.rounds}  ${grant} grant, ${side.name}: ${Math.round(requestsPerSecond)}/s`);
        }
      }
    }
    rig.end();
    await Promise.all([theirs.server.stop(), ours.server.stop()]);
    return reportComparison(theirs, ours);
  });
}

/** @returns the table and the verdict */
export function reportComparison(
  theirs: Pick<Side, 'name' | 'rates'>,
  ours: Pick<Side, 'name' | 'rates'>,
): { report: string; isSlower: boolean } {
  let isSlower = false;
  const rows = grants.map((grant) => {
    const ratio = medianRatio(ours.rates[grant], theirs.rates[grant]);
    const isWorse = ratio < 1 - TOLERATED_LOSS;
    isSlower ||= isWorse;
    const rate = (side: Pick<Side, 'rates'>) => formatNumber(median(side.rates[grant]));
    return [`${grant} grant, req/s`, rate(theirs), rate(ours), formatChange(ratio), isWorse ? 'slower' : 'ok'];
  });
  const table = textTable(['what', theirs.name, ours.name, 'change', 'verdict'], rows, [
    'left',
    'right',
    'right',
    'right',
    'left',
  ]);
  return { report: `\n${table}\n`, isSlower };
}

async function openSide(
  name: string,
  root: string,
  database: BenchDatabase,
  { logLevel, threads }: BenchArguments,
): Promise<Side> {
  const databaseUrl = await database.create(name);
  const options = { root, databaseUrl, cwd: database.directory, logLevel, cryptoThreads: threads };
  const server = await startServerUnderTest(options);
  await populate(databaseUrl);
  return { name, server, accounts: await makeAccounts(server.url, 64), rates: { refresh: [], password: [] } };
}
