/** A receiver of hooks for development: it verifies calls, shows them, and lets everything continue. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import type { HookSecret } from '../config/settings.js';
import { findSignatureFault } from './signature-check.js';

export interface HookListener {
  readonly url: string;
  close(): void;
}

/**
 * Listens on this machine only.
 * @param show gets what is printed
 * @throws Error when the port is taken
 */
export async function listenForHooks(
  port: number,
  secrets: readonly HookSecret[],
  show: (text: string) => void,
): Promise<HookListener> {
  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readText(request);
    const fault = findSignatureFault(secrets, request.headers, body);
    const input = readObject(body);
    const name = (input?.['metadata'] as { name?: unknown } | undefined)?.name ?? 'a call without a name';
    show(`${new Date().toISOString()}  ${request.method} ${request.url}  ${String(name)}\n`);
    show(`signature  ${fault ?? 'genuine'}\n${input === null ? body : JSON.stringify(input, null, 2)}\n`);
    const status = fault !== null ? 401 : input === null ? 400 : 200;
    const claims = input?.['claims'];
    const answer = JSON.stringify(claims === undefined ? {} : { claims });
    show(`answer     ${status}${status === 200 ? ` ${answer}` : ''}\n\n`);
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(status === 200 ? answer : '{}');
  }

  const server = createServer((request, response) => {
    receive(request, response).catch(() => response.destroy());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function readObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
