/** Opens the console: a listener and a table of endpoints of its own, which share nothing with those of the API. */

import type { Config, LastingConfig } from '../config/settings.js';
import type { Edge } from '../http/listen.js';
import type { EdgeOptions, EdgeRules } from '../http/options.js';
import type { App } from '../runtime/app.js';
import { edgeLog } from '../telemetry/edge-log.js';
import { readConsoleFiles } from './console-files.js';
import { consoleEndpoints } from './endpoints/index.js';
import { pageRoutes } from './endpoints/pages.js';
import { authenticateOperator, readSessionToken } from './operator.js';
import { packed } from './pack-answers.js';
import { assertFromConsole, CONSOLE_HEADERS } from './same-origin.js';

export interface ConsoleEdge {
  readonly edge: Edge<App>;
  /** As Edge.swap, with the rules that follow from the parts. */
  swap(app: App): Promise<void>;
}

/**
 * @param app the parts of the first configuration
 * @param openEdge opens an edge that listens, or one that gets its connections from an acceptor
 * @throws ListenError; Error when the build has left no pages
 */
export async function openConsole(
  app: App,
  { consolePort, consoleHost }: Pick<LastingConfig, 'consolePort' | 'consoleHost'>,
  openEdge: (options: EdgeOptions<App>) => Edge<App> | Promise<Edge<App>>,
): Promise<ConsoleEdge> {
  const edge = await openEdge({
    ...consoleRules(app),
    routes: [...consoleEndpoints.map(packed), ...pageRoutes(readConsoleFiles())],
    ownHeaders: CONSOLE_HEADERS,
    host: consoleHost,
    port: consolePort!,
    addressSettings: 'AUTH_CONSOLE_HOST and AUTH_CONSOLE_PORT',
    log: edgeLog(app.log),
  });
  return { edge, swap: (next) => edge.swap(consoleRules(next)) };
}

/** A limit that no request keeps must leave a way back; and what is tried before it counts takes seconds. */
const LEAST_SECONDS = 10;

const consoleSeconds = ({ apiMaxRequestSeconds: seconds }: Pick<Config, 'apiMaxRequestSeconds'>): number =>
  seconds === 0 ? 0 : Math.max(seconds, LEAST_SECONDS);

const consoleRules = (app: App): EdgeRules<App> => ({
  context: app,
  assertRequest: (request) => assertFromConsole(app.config, request),
  readCredential: (request) => readSessionToken(app, request),
  authenticate: (_caller, token, request, admits) => authenticateOperator(app, token, request, admits),
  maxRequestSeconds: consoleSeconds(app.config),
  corsAllowedHeaders: [],
  requestIdHeader: null,
});
