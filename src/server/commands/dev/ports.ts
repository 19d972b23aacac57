/** The ports of `latchkey dev`, which are known before anything listens: other filled-in settings contain them. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { Config } from '../../config/settings.js';
import { ListenError } from '../../http/listen.js';

/** How many ports after that of the API are tried for the console. */
const CONSOLE_TRIES = 20;

/**
 * Makes sure that the API can listen, before a database is started for it.
 * @returns the port: the given one, or one that the system chooses for 0
 * @throws ListenError when the port cannot be used
 */
export async function reservePort({ apiHost, port }: Pick<Config, 'apiHost' | 'port'>): Promise<number> {
  const found = await tryPort(apiHost, port);
  if (found === null) throw new ListenError({ host: apiHost, port });
  return found;
}

/** @returns the first free port after that of the API; undefined when the next ones are all taken */
export async function findConsolePort({
  consoleHost,
  port,
}: Pick<Config, 'consoleHost' | 'port'>): Promise<number | undefined> {
  const last = Math.min(port + CONSOLE_TRIES, 65_535);
  for (let candidate = port + 1; candidate <= last; candidate++) {
    if ((await tryPort(consoleHost, candidate)) !== null) return candidate;
  }
  return undefined;
}

async function tryPort(host: string, port: number): Promise<number | null> {
  const server = createServer();
  try {
    server.listen({ port, exclusive: true, ...(host !== '' && { host }) });
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  } catch {
    return null;
  } finally {
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  }
}
