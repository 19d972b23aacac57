/** SIGTERM in the middle of a storm: the server has to exit 0 and keep everything it has said yes to. */
import { setTimeout as pause } from 'node:timers/promises';
import { signInAgain } from './accounts.js';
import type { BenchRig } from './bench-rig.js';
import { query } from './database.js';
import type { SigtermOutcome } from './measurements.js';
import { type ServerOptions, startServerUnderTest } from './servers.js';
import { statement } from './statements.js';
import type { Account } from './traffic.js';

const STORM_SECONDS = 1.2;
const SIGNAL_AFTER_MS = 700;

/** @param report is told after every run */
export async function terminateInStorm(
  rig: BenchRig,
  options: ServerOptions,
  accounts: readonly Account[],
  runs: number,
  report: (run: number) => void,
): Promise<SigtermOutcome> {
  const badExits: (number | string)[] = [];
  let acknowledged = 0;
  let lost = 0;
  for (let run = 1; run <= runs; run += 1) {
    const server = await startServerUnderTest(options);
    const sessions = await signInAgain(server.url, accounts);
    const [tokens, exit] = await Promise.all([
      rig.stormFor(server, sessions, STORM_SECONDS),
      pause(SIGNAL_AFTER_MS).then(() => server.stop()),
    ]);
    if (exit !== 0) badExits.push(exit);
    const told = tokens.map(readRefreshToken);
    const { rows } = await query<{ lost: number }>(options.databaseUrl, statement('bench-data.lost').text, [
      told.map(({ sessionId }) => sessionId),
      told.map(({ generation }) => generation),
    ]);
    acknowledged += told.length;
    lost += rows[0]?.lost ?? 0;
    report(run);
  }
  return { runs, badExits, acknowledged, lost };
}

/**
 * What a refresh token names: version (1 byte), session id (16), generation (LEB128), MAC (16 bytes). Read without the
 * key, since the bench asks what the database holds and not whether the token is genuine.
 */
export function readRefreshToken(token: string): { sessionId: string; generation: number } {
  const bytes = Buffer.from(token, 'base64url');
  const hex = bytes.toString('hex', 1, 17);
  const sessionId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  let generation = 0;
  for (const [index, byte] of bytes.subarray(17, -16).entries()) generation += (byte & 127) * 2 ** (7 * index);
  return { sessionId, generation };
}
