/**
 * Entry of a server under measurement in a checkout that has no `serve` command yet.
 * Arguments: the root of the checkout. Settings come from the environment, as for the real thing.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

type Load = typeof import('../../src/server/config/load.js');
type Server = typeof import('../../src/server/server.js');
type LogRoom = typeof import('../../src/server/telemetry/log.js');
type Lifecycle = typeof import('../../src/server/lifecycle.js');

const [root = '.'] = process.argv.slice(2);
const room = <Module>(path: string): Promise<Module> =>
  import(pathToFileURL(join(root, 'dist/src/server', path)).href) as Promise<Module>;

const { loadConfig, readEnvironment } = await room<Load>('config/load.js');
const { startServer } = await room<Server>('server.js');
const { openLog } = await room<LogRoom>('telemetry/log.js');
const { runUntilStopped } = await room<Lifecycle>('lifecycle.js');

const { config } = loadConfig({ environment: readEnvironment(), file: null });
const log = await openLog({ level: config.logLevel, file: config.logFile });
const code = await runUntilStopped(await startServer(config, '0.0.0-bench', log), log);
log.flush();
process.exitCode = code;
