/** A fake of the range API of haveibeenpwned.com: records its calls and fails on demand. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from './tap.js';

/** silent: reads, never responds · cut: closes at once · html: a page of some proxy, 200 · status: 503 · huge: 2 MB */
export type LeakFault = 'none' | 'silent' | 'cut' | 'html' | 'status' | 'huge';

export interface LeakService {
  readonly url: string;
  readonly calls: { prefix: string; headers: IncomingHttpHeaders }[];
  readonly leaked: Set<string>;
  /** Of these there is only padding. */
  readonly padded: Set<string>;
  fault: LeakFault;
  delayMs: number;
}

export const sha1 = (password: string): string => createHash('sha1').update(password).digest('hex').toUpperCase();

export async function startLeakService(t: Test): Promise<LeakService> {
  const service: LeakService = { url: '', calls: [], leaked: new Set(), padded: new Set(), fault: 'none', delayMs: 0 };

  function list(prefix: string): string {
    const lines = (passwords: Set<string>, count: number) =>
      [...passwords].map(sha1).flatMap((hash) => (hash.startsWith(prefix) ? [`${hash.slice(5)}:${count}`] : []));
    const others = Array.from({ length: 800 }, (_, i) => `${sha1(`${prefix} ${i}`).slice(5)}:${i + 1}`);
    return [...others, ...lines(service.leaked, 42), ...lines(service.padded, 0)].join('\r\n');
  }

  function answer(prefix: string, response: ServerResponse): void {
    const send = (status: number, text: string) => response.writeHead(status).end(text);
    if (service.fault === 'cut') response.destroy();
    else if (service.fault === 'html') send(200, '<html>Sign in to the network</html>');
    else if (service.fault === 'status') send(503, list(prefix));
    else if (service.fault === 'huge') send(200, 'x'.repeat(2_000_000));
    else if (service.fault === 'none') send(200, list(prefix));
  }

  const server = createServer((request, response) => {
    const prefix = /^\/range\/([0-9A-F]{5})$/.exec(request.url ?? '')?.[1];
    if (prefix === undefined) return void response.writeHead(404).end();
    service.calls.push({ prefix, headers: request.headers });
    setTimeout(() => answer(prefix, response), service.delayMs);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return Object.assign(service, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}
