import { givenSources } from '../cli/configuration.js';
import type { Command } from '../cli/types.js';
import type { Config } from '../config/load.js';
import { RELOAD_SIGNALS } from '../config/settings.js';
import { describeEngine } from '../http/engine.js';
import { watchConfigDirectory } from '../runtime/config-watch.js';
import { runUntilStopped } from '../runtime/lifecycle.js';
import { openLiveSettings } from '../runtime/live-settings.js';
import { startServer } from '../runtime/server.js';
import { openLog } from '../telemetry/log.js';
import { readVersion } from './version.js';

export const serve: Command = {
  summary: 'Migrate the database, then listen',
  help: `Brings the schema up to date and serves the API until SIGTERM or SIGINT.

It starts without a database, too: requests and /health/ready are 503 until the
database is available. Settings come from the environment, from .env (or -c FILE), from
the files of -d DIR, which are read again when one of them changes, and from the database.
\`latchkey check config\` shows the effective ones. SIGHUP reads them again; requests
that run finish with the former ones.`,
  options: {},
  async run(args, io) {
    const settingSources = givenSources(args, io);
    const settings = await openLiveSettings(settingSources);
    const { config } = settings.first.loaded;
    const log = await openLog({ level: config.logLevel, file: config.logFile });
    const version = readVersion();
    log.info(
      { component: 'server', version, node_version: process.versions.node, engine: describeEngine() },
      'Starting',
    );
    try {
      const server = await settings.start(
        (usable, stored) => startServer(usable, version, log, { settingSources, stored }),
        log,
      );
      const reloader = settings.follow(server, log);
      for (const signal of reloadSignalsOf(config)) process.on(signal, () => void reloader.reload(signal));
      const { directory } = args.configFiles;
      const onChange = (reason: string) => void reloader.reload(reason);
      const watch = directory === undefined ? null : watchConfigDirectory({ directory, config, log, onChange });
      try {
        return await runUntilStopped(server, log, ['SIGHUP']);
      } finally {
        watch?.close();
      }
    } finally {
      log.flush();
    }
  },
};

function reloadSignalsOf({ reloadingSignalEnabled, reloadingSignalNumber }: Config): NodeJS.Signals[] {
  const chosen = reloadingSignalEnabled ? RELOAD_SIGNALS[reloadingSignalNumber] : undefined;
  return [...new Set(['SIGHUP' as const, ...(chosen === undefined ? [] : [chosen])])];
}
