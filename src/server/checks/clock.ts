import { readClock } from '../../db/health.js';
import { withDatabase } from '../cli/database.js';
import { type Command, type CommandIo, EXIT } from '../cli/types.js';
import { type ClockOffset, DATE_RESOLUTION_SECONDS, measureClock, readDateHeader } from '../outbound/clock-offset.js';
import { callOut } from '../outbound/outbound.js';

/** A third of the step by which a code may be early or late (RFC 6238 5.2); the clock of the phone needs some, too. */
const MAX_SECONDS = 10;
export const checkClock: Command = {
  summary: 'Compare the clock of this machine with that of the database',
  help: `Compares the clock of this machine with that of the database and, given a URL, with the Date header of its answer. Codes
of authenticator apps depend on the clock of this machine, times of sessions, codes and limits on that of the database.
Exits with 1 if one is more than ${MAX_SECONDS} seconds away. Changes nothing.`,
  options: {},
  positionals: ['URL'],
  run: async (args, io) => {
    const [url] = args.positionals;
    let isWell = report(io, 'database', await withDatabase(args, io, (db) => measureClock(() => readClock(db), 0)));
    if (url !== undefined) {
      try {
        isWell = report(io, url, await measureClock(() => readDate(url), DATE_RESOLUTION_SECONDS)) && isWell;
      } catch (error) {
        io.err(`latchkey check clock: ${url}: ${(error as Error).message}\n`);
        return EXIT.failed;
      }
    }
    io.out(
      isWell
        ? '\nThe clocks agree.\n'
        : '\nLet NTP set the clocks (timedatectl set-ntp true). Until then codes of authenticator apps may be refused.\n',
    );
    return isWell ? EXIT.ok : EXIT.failed;
  },
};

const readDate = async (url: string): Promise<number> => readDateHeader((await callOut({ url })).headers);

/** @returns whether it is near enough */
function report(io: CommandIo, name: string, { seconds, uncertainSeconds }: ClockOffset): boolean {
  const isNear = Math.abs(seconds) - uncertainSeconds <= MAX_SECONDS;
  const where = seconds >= 0 ? 'ahead' : 'behind';
  const by = `${Math.abs(seconds).toFixed(2)} s ${where} of this machine (± ${uncertainSeconds.toFixed(2)} s)`;
  io.out(`${isNear ? 'ok  ' : 'far '} ${name} is ${by}\n`);
  return isNear;
}
