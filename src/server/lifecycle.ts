import type { RunningServer } from './server.js';
import { describeCause } from './telemetry/edge-log.js';
import type { Log } from './telemetry/log.js';

/** Running requests get this long after a signal; the whole way down then stays within 10 s (REL-15). */
const DRAIN_SECONDS = 8;
/** The process ends this long after the reason to stop, whatever still hangs on, e.g. a statement without an end. */
const LONGEST_STOP_SECONDS = 9.5;

/**
 * Runs until a signal, a failed migration or a fault that leaves the state unknown (REL-24).
 * @returns the exit code: 0 after SIGTERM, SIGINT or SIGHUP, else 1
 */
export async function runUntilStopped(server: RunningServer, log: Log): Promise<number> {
  const code = await firstReasonToStop(server, log);
  const limit = setTimeout(() => {
    log.warn({ component: 'server' }, 'Stopped, leaving behind what did not end in time');
    log.flush();
    process.exit(code);
  }, LONGEST_STOP_SECONDS * 1000);
  // It must not itself keep a process that is done, so it is never cleared: what comes after may hang, too.
  limit.unref();
  await server.stop(DRAIN_SECONDS);
  log.info({ component: 'server' }, 'Stopped');
  return code;
}

function firstReasonToStop(server: RunningServer, log: Log): Promise<number> {
  return new Promise((resolve) => {
    let isStopping = false;
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (isStopping) {
          log.flush();
          // At once: not even exit handlers, which would wait for threads.
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
    process.on('uncaughtException', fail('A fault nobody caught: its state is unknown, so the server stops'));
    process.on('unhandledRejection', fail('A rejection nobody caught: its state is unknown, so the server stops'));
    server.migrated.catch((error: unknown) => {
      if (!isStopping) fail('The schema could not be brought up to date')(error);
    });
  });
}
