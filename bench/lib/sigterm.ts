/** SIGTERM during an overload: the server must exit with 0, and the database must have everything it has acknowledged. */
import { setTimeout as pause } from 'node:timers/promises';
import { signInAgain } from './accounts.js';
import type { Progress } from './command.js';
import { query, statement } from './database.js';
import type { Account } from './requests.js';
import type { Rig } from './rig.js';
import type { SigtermOutcome } from './series.js';
import { type ServerOptions, startServer } from './servers.js';
import { openTokenMint } from './tokens.js';

const STORM_SECONDS = 1.2;
const SIGNAL_AFTER_MS = 700;
/** Of each kind. */
const REQUESTS_PER_SECOND = 500;

/** Starts a server for every run and ends it in the middle of the load. */
export async function terminateInStorm(
  rig: Rig,
  options: ServerOptions,
  accounts: readonly Account[],
  runs: number,
  progress: Progress,
): Promise<SigtermOutcome> {
  const mint = openTokenMint(options);
  const badExits: (number | string)[] = [];
  let [acknowledged, lost] = [0, 0];
  for (let run = 1; run <= runs; run += 1) {
    const server = await startServer(options);
    const sessions = await signInAgain(server.url, accounts);
    const job = { url: server.url, accounts: sessions, warmUpSeconds: 0, seconds: STORM_SECONDS };
    const [exit, ...results] = await Promise.all([
      pause(SIGNAL_AFTER_MS).then(() => server.stop()),
      ...(['password', 'refresh'] as const).map((traffic) =>
        rig.runOpenLoop({ ...job, traffic, requestsPerSecond: REQUESTS_PER_SECOND }),
      ),
    ]);
    if (exit !== 0) badExits.push(exit);
    const tokens = results.flatMap((result) => result.acknowledged).map(mint.openRefreshToken);
    const [row] = await query<{ lost: number }>(options.databaseUrl, statement('bench-data.lost').text, [
      tokens.map(({ sessionId }) => sessionId),
      tokens.map(({ generation }) => generation),
    ]);
    acknowledged += tokens.length;
    lost += row!.lost;
    progress(`SIGTERM in the storm, run ${run}/${runs}: exit ${exit}, ${row!.lost} of ${tokens.length} tokens lost`);
  }
  return { runs, badExits, acknowledged, lost };
}
