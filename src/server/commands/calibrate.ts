import { availableParallelism, freemem, loadavg } from 'node:os';
import type { Argon2Parameters } from '../../workers/wire.js';
import { type Command, EXIT } from '../cli/types.js';
import { loadConfig } from '../config/load.js';
import { planThreads } from '../runtime/shares.js';
import { chooseStrongest, measureCosts } from './calibrate/costs.js';
import { advise, describe, toJson } from './calibrate/report.js';

const SECONDS = 10;

/** Required settings that this command does not use, so that it runs without a configuration. */
const UNUSED = {
  AUTH_SITE_URL: 'http://localhost',
  AUTH_API_EXTERNAL_URL: 'http://localhost',
  AUTH_DB_DRIVER: 'postgres',
  AUTH_DB_DATABASE_URL: 'postgres://localhost/latchkey',
  AUTH_JWT_SECRET: 'calibrate signs nothing, so any secret will do',
};

export const calibrate: Command = {
  summary: 'Measure the cost of password checks on this machine',
  help: `Verifies passwords with Argon2id at twenty costs, with the threads and the engine of the server, and prints the times. Run
it on the machine of the server while it is idle. It takes about ten seconds.

A sign-in takes at least one verify; the threads limit how many users can sign in at once. Do not choose settings weaker
than those OWASP recommends.`,
  options: {
    target: {
      type: 'string',
      argument: 'MS',
      doc: 'choose the strongest that stays below MS with all threads at work',
    },
    seconds: { type: 'string', argument: 'N', doc: `how long to measure (default: ${SECONDS})` },
    json: { type: 'boolean', doc: 'print one JSON object' },
  },
  run: async ({ values, configFiles }, io) => {
    const targetMs = readPositive(values['target']);
    const seconds = readPositive(values['seconds']) ?? SECONDS;
    if (Number.isNaN(targetMs) || !(seconds <= 600)) {
      io.err('latchkey calibrate: --target takes milliseconds and --seconds at most 600, both above zero\n');
      return EXIT.wrongUsage;
    }
    const [load = 0] = loadavg();
    if (load > availableParallelism() / 2) {
      io.err(`The machine is busy with other things (load ${load.toFixed(1)}): everything will seem to take longer.\n`);
    }
    const { config } = loadConfig({ environment: io.environment, ...configFiles, fallback: UNUSED });
    const { serverThreads, share } = planThreads(config);
    const calibration = await measureCosts({
      hashThreads: share.hashThreads * serverThreads,
      seconds,
      mostBytes: findMostBytes(),
      report: (done) => {
        if (io.isTerminal) io.err(`\rmeasuring: ${Math.round(done * 100)} %`);
      },
    });
    if (io.isTerminal) io.err('\r\u001b[K');
    const current: Argon2Parameters = {
      memoryKiB: config.argon2MemoryKib,
      iterations: config.argon2Iterations,
      parallelism: config.argon2Parallelism,
    };
    const chosen = targetMs === undefined ? undefined : chooseStrongest(calibration.costs, targetMs);
    io.out(
      values['json'] === true
        ? `${JSON.stringify(toJson(calibration, current, targetMs, chosen))}\n`
        : `${describe(calibration, current)}\n${advise(current, targetMs, chosen)}`,
    );
    if (targetMs === undefined || chosen !== undefined) return EXIT.ok;
    io.err(`latchkey calibrate: nothing as strong as OWASP's settings stays below ${targetMs} ms here\n`);
    return EXIT.failed;
  },
};

/** @returns NaN unless the text is a number above zero */
function readPositive(text: string | boolean | undefined): number | undefined {
  if (typeof text !== 'string') return undefined;
  return Number(text) > 0 && Number.isFinite(Number(text)) ? Number(text) : Number.NaN;
}

/** Half of the free memory, so that other processes keep theirs. A container may have less than its machine. */
function findMostBytes(): number {
  const limit = process.constrainedMemory();
  return (limit > 0 ? Math.min(limit, freemem()) : freemem()) / 2;
}
