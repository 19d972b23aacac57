import { loadConfig } from '../config/load.js';
import { runUntilStopped } from '../lifecycle.js';
import { startServer } from '../server.js';
import { openLog } from '../telemetry/log.js';
import type { Command } from './types.js';
import { readVersion } from './version.js';

export const serve: Command = {
  summary: 'Migrate the database, then listen (the default)',
  help: `Brings the schema up to date and serves the API until SIGTERM or SIGINT.

A database that is away does not keep it from starting: requests are answered 503 and
/health/ready is 503, until the database appears. Settings come from the environment
and from .env (or -c FILE); \`latchkey check config\` shows what is in force.`,
  options: {},
  async run({ configFile }, io) {
    const { config, notices } = loadConfig({ environment: io.environment, file: configFile });
    const log = await openLog({ level: config.logLevel, file: config.logFile });
    for (const { variable, message } of notices) log.warn({ component: 'config', variable }, message);
    try {
      return await runUntilStopped(await startServer(config, readVersion(), log), log);
    } finally {
      log.flush();
    }
  },
};
