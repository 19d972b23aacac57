/** `npm run bench:count`: what a request costs in instructions, which neighbours on the machine cannot change. */
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { makeAccounts } from './lib/accounts.js';
import { count, readOptions } from './lib/arguments.js';
import { assertCallgrind, countWhile, type InstructionCounts, underCallgrind } from './lib/callgrind.js';
import { withCheckout } from './lib/checkout.js';
import { describeCounts } from './lib/count-report.js';
import { type BenchDatabase, populate } from './lib/database.js';
import { runWithDatabase, startSaying } from './lib/run-bench.js';
import { startServerUnderTest } from './lib/servers.js';
import { type Account, findRefreshToken, requestFor, type Traffic } from './lib/traffic.js';

const usage = `Usage: npm run bench:count -- [options] [refresh | user | health]

Runs the server under Valgrind's callgrind and counts the instructions it takes for one answer, outside the kernel and over
all threads. Neighbours on the machine do not change it. What V8 has compiled by then does: hence several rounds, of which
the middle one is told, and how far apart they were. Takes some three minutes. Needs valgrind.

Options:
  --compare REF   count a git revision, too
  --rounds N      that are counted (5)
  --answers N     in each round (4000)
  --warm-up N     before them, so that V8 has compiled what it will (35000)
  --keep FILE     where the last count of this checkout stays, for callgrind_annotate
  --help          show this help
`;

interface CountOptions {
  readonly traffic: Traffic;
  readonly compare: string | undefined;
  readonly rounds: number;
  readonly answers: number;
  readonly warmUp: number;
  readonly keep: string | undefined;
}

const KINDS: readonly Traffic[] = ['refresh', 'user', 'health'];
const CONNECTIONS = 64;
const MOST_ANSWERS = 1_000_000;
/** The server thread, the signing thread and what V8 does in the background: a server that is slower than this hangs. */
const LEAST_ANSWERS_PER_SECOND = 30;
const root = fileURLToPath(new URL('../../', import.meta.url));
const say = startSaying();

async function main(): Promise<number> {
  const wanted = readOptions('bench:count', usage, readArguments);
  if (typeof wanted === 'number') return wanted;
  const limitSeconds = 600 + (2 * (wanted.warmUp + wanted.rounds * wanted.answers)) / LEAST_ANSWERS_PER_SECOND;
  return runWithDatabase('bench:count', say, limitSeconds, async (database) => {
    assertCallgrind();
    const ours = () => countAnswers('this checkout', root, database, wanted);
    const { compare: ref, traffic } = wanted;
    if (ref === undefined) {
      process.stdout.write(describeCounts(traffic, wanted.answers, [{ name: 'this checkout', rounds: await ours() }]));
      return 0;
    }
    const directory = join(database.directory, 'other');
    say(`checking out and building ${ref}`);
    const [theirCounts, ourCounts] = await withCheckout(ref, root, directory, () =>
      Promise.all([countAnswers(ref, directory, database, { ...wanted, keep: undefined }), ours()]),
    );
    const sides = [
      { name: ref, rounds: theirCounts },
      { name: 'this checkout', rounds: ourCounts },
    ];
    process.stdout.write(describeCounts(traffic, wanted.answers, sides));
    return 0;
  });
}

function readArguments(): CountOptions | 'help' {
  const { values, positionals } = parseArgs({
    options: {
      compare: { type: 'string' },
      rounds: { type: 'string', default: '5' },
      answers: { type: 'string', default: '4000' },
      'warm-up': { type: 'string', default: '35000' },
      keep: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  if (values.help) return 'help';
  const [traffic = 'refresh', ...more] = positionals as Traffic[];
  if (!KINDS.includes(traffic) || more.length > 0) throw new Error(`one of ${KINDS.join(', ')} can be counted`);
  return {
    traffic,
    compare: values.compare,
    rounds: count('--rounds', values.rounds)!,
    answers: count('--answers', values.answers, CONNECTIONS, MOST_ANSWERS)!,
    warmUp: count('--warm-up', values['warm-up'], CONNECTIONS, MOST_ANSWERS)!,
    keep: values.keep,
  };
}

async function countAnswers(
  name: string,
  checkout: string,
  database: BenchDatabase,
  { traffic, rounds, answers, warmUp, keep }: CountOptions,
): Promise<InstructionCounts[]> {
  const directory = join(database.directory, name.replaceAll(/[^\w-]/g, '_'));
  mkdirSync(directory);
  const databaseUrl = await database.create(name);
  const options = { root: checkout, databaseUrl, cwd: directory, logLevel: 'info' };
  // Passwords take a second each under callgrind, so another server of the same database signs the accounts in.
  const door = await startServerUnderTest(options);
  await populate(databaseUrl);
  const accounts = (await makeAccounts(door.url, CONNECTIONS)).map((account) => ({ ...account }));
  await door.stop();
  const server = await startServerUnderTest({ ...options, under: underCallgrind(directory) });
  const serve = (count: number) => sendRequests(server.url, traffic, accounts, count);
  say(`${name}: ${warmUp} answers to warm up`);
  await serve(warmUp);
  const counted: InstructionCounts[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const { counts, file } = await countWhile(server.pid, directory, round, () => serve(answers));
    counted.push(counts);
    say(`${name}: round ${round}/${rounds}: ${Math.round(counts.total / answers)} instructions an answer`);
    if (keep !== undefined) copyFileSync(file, keep);
  }
  await server.stop();
  return counted;
}

/** Closed loop over as many connections as there are accounts, each chaining its own tokens. @throws on an answer not 2xx */
async function sendRequests(
  url: string,
  traffic: Traffic,
  accounts: { -readonly [Member in keyof Account]: Account[Member] }[],
  count: number,
): Promise<void> {
  let left = count;
  await Promise.all(
    accounts.map(async (account) => {
      while (left > 0) {
        left -= 1;
        const { method, path, headers, body = null } = requestFor(traffic, account, '');
        const response = await fetch(`${url}${path}`, { method, headers, body });
        const answer = Buffer.from(await response.arrayBuffer());
        if (!response.ok) throw new Error(`${path} answered ${response.status}: ${answer.toString().slice(0, 300)}`);
        if (traffic === 'refresh') account.refreshToken = findRefreshToken(answer)!;
      }
    }),
  );
}

process.exitCode = await main();
