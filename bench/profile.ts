/** `npm run bench:profile`: where the server thread spends its time while it does one thing. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { makeAccounts } from './lib/accounts.js';
import { BenchRig } from './lib/bench-rig.js';
import type { Sample } from './lib/measurements.js';
import { type CpuProfile, tabulate } from './lib/profile-table.js';
import { runWithDatabase, startSaying } from './lib/run-bench.js';
import { startServerUnderTest } from './lib/servers.js';
import type { Traffic } from './lib/traffic.js';

const usage = `Usage: npm run bench:profile -- [options] [refresh | user | health | password]

Loads a fresh server with one kind of request over 64 connections and prints which functions of its main thread spend how
much of each answer's time. The profile can be opened in the developer tools of Chromium.

Options:
  --seconds N     length (5)
  --most N        lines (40)
  --keep FILE     where the profile stays
  --log-level L   log level of the server, whose log goes to /dev/null (info)
  --help          show this help
`;

const kinds: readonly Traffic[] = ['refresh', 'user', 'health', 'password'];
const CONNECTIONS = 64;

async function main(): Promise<number> {
  const options = {
    seconds: { type: 'string', default: '5' },
    most: { type: 'string', default: '40' },
    keep: { type: 'string' },
    'log-level': { type: 'string', default: 'info' },
    help: { type: 'boolean', default: false },
  } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const traffic = (positionals[0] ?? 'refresh') as Traffic;
  const seconds = Number(values.seconds);
  if (values.help || !kinds.includes(traffic) || !(seconds > 0)) {
    (values.help ? process.stdout : process.stderr).write(usage);
    return values.help ? 0 : 2;
  }
  return runWithDatabase('bench:profile', startSaying(), 60 + 2 * seconds, async (database) => {
    const file = values.keep ?? join(database.directory, 'server.cpuprofile');
    const server = await startServerUnderTest({
      root: fileURLToPath(new URL('../../', import.meta.url)),
      databaseUrl: await database.create('profile'),
      cwd: database.directory,
      logLevel: values['log-level'],
      profile: file,
    });
    const rig = new BenchRig(database, seconds);
    try {
      const accounts = await makeAccounts(server.url, CONNECTIONS);
      // Compiled and warm before it is watched.
      await rig.load(server, traffic, accounts);
      const signal = () => process.kill(server.pid, 'SIGUSR2');
      const watch = setTimeout(signal, 1000);
      const sample = await rig.load(server, traffic, accounts).finally(() => clearTimeout(watch));
      signal();
      await pause(1000);
      await server.stop();
      process.stdout.write(describe(traffic, sample));
      process.stdout.write(describeProfile(JSON.parse(readFileSync(file, 'utf8')) as CpuProfile, Number(values.most)));
      return 0;
    } finally {
      rig.end();
    }
  });
}

function describe(traffic: Traffic, { requestsPerSecond, p99Ms, cpuMicroseconds }: Sample): string {
  const { server: microseconds = 0 } = cpuMicroseconds ?? {};
  return `${traffic}: ${requestsPerSecond.toFixed(0)}/s, p99 ${p99Ms?.toFixed(1)} ms, ${microseconds.toFixed(1)} µs of processor time an answer over all threads\n\n`;
}

function describeProfile(profile: CpuProfile, most: number): string {
  const rows = tabulate(profile);
  const total = rows.reduce((sum, { microseconds }) => sum + microseconds, 0);
  const lines = rows.slice(0, most).map(({ where, share }) => `${(share * 100).toFixed(1).padStart(5)} %  ${where}\n`);
  return `share of ${(total / 1e6).toFixed(1)} s, own time of the main thread\n${lines.join('')}`;
}

process.exitCode = await main();
