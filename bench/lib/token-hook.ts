/** A receiver of the hook custom_access_token that takes its time. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

/** As a function in another region. */
export const TOKEN_HOOK_MS = 200;

export interface TokenHook {
  readonly url: string;
  calls(): number;
  close(): void;
}

/** Adds a claim to each token. */
export async function startTokenHook(): Promise<TokenHook> {
  let calls = 0;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    calls += 1;
    const { claims } = (await json(request)) as { claims: object };
    await pause(TOKEN_HOOK_MS);
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ claims: { ...claims, plan: 'gold' } }));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A bench that fails must end.
  server.unref();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    calls: () => calls,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
