import { describeCause } from '../telemetry/edge-log.js';
import type { Log } from '../telemetry/log.js';
import type { RunningServer } from './server.js';

/** Time for running requests after a signal; the whole shutdown then takes less than 10 s (REL-15). */
const DRAIN_SECONDS = 8;
/** The process ends after this time in any case, e.g. while a statement hangs. */
const LONGEST_STOP_SECONDS = 9.5;

/**
 * Runs until a signal, a failed migration or a fault that leaves the state unknown (REL-24).
 * @param reloadSignals signals that something else handles. SIGHUP stops the server unless it is one of them.
 * @returns the exit code: 0 after SIGTERM, SIGINT or SIGHUP, else 1
 */
export async function runUntilStopped(
  server: RunningServer,
  log: Log,
  reloadSignals: readonly NodeJS.Signals[] = [],
): Promise<number> {
  const code = await firstReasonToStop(server, log, reloadSignals);
  const limit = setTimeout(() => {
    log.warn({ component: 'server' }, 'Stopped, leaving behind what did not end in time');
    log.flush();
    process.exit(code);
  }, LONGEST_STOP_SECONDS * 1000);
  // Unreferenced instead of cleared, since later steps may hang, too.
  limit.unref();
  await server.stop(DRAIN_SECONDS);
  log.info({ component: 'server' }, 'Stopped');
  return code;
}

function firstReasonToStop(server: RunningServer, log: Log, reloadSignals: readonly NodeJS.Signals[]): Promise<number> {
  return new Promise((resolve) => {
    let isStopping = false;
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      if (reloadSignals.includes(signal)) continue;
      process.on(signal, () => {
        if (isStopping) {
          log.flush();
          // Without exit handlers, which would wait for threads.
          process.kill(process.pid, 'SIGKILL');
        }
        isStopping = true;
        log.info({ component: 'server', signal }, 'Stopping: running requests finish, a second signal ends at once');
        resolve(0);
      });
    }
    const fail = (message: string) => (cause: unknown) => {
      log.fatal({ component: 'server', ...describeCause(cause) }, message);
      resolve(1);
    };
    process.on('uncaughtException', fail('Uncaught exception: the state of the process is unknown, so it stops'));
    process.on('unhandledRejection', fail('Unhandled rejection: the state of the process is unknown, so it stops'));
    server.migrated.catch((error: unknown) => {
      if (!isStopping) fail('The schema could not be brought up to date')(error);
    });
  });
}
