/** A host on which clients publish their metadata documents. */
import { createServer } from 'node:https';
import { type AddressInfo, isIP } from 'node:net';
import type { TestInternet } from '../../src/server/outbound/public-address.js';
import { makeCertificate } from './certificate.js';
import { REDIRECT_URI } from './oauth-client.js';
import type { Test } from './tap.js';

const DRIP_MS = 100;

/** On the public internet, as far as the guard can tell. */
export const PUBLIC_ADDRESS = '93.184.215.14';

export interface HostAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON unless it is a text. */
  readonly body?: unknown;
  /** Sends the beginning, and nothing more. */
  readonly hangs?: boolean;
  /** Sends a byte now and then, and never ends. */
  readonly drips?: boolean;
}

export interface ClientHost {
  readonly internet: TestInternet;
  /** What its names resolve to. */
  readonly names: Map<string, readonly string[]>;
  /** Names that were looked up, and addresses that were connected to, in order. */
  readonly lookedUp: string[];
  readonly reached: string[];
  /** Paths that were asked for, in order. */
  readonly asked: string[];
  url(path: string, host?: string): string;
  /** Publishes an answer. @returns its address */
  publish(path: string, answer: HostAnswer): string;
  /** Publishes a document with the right client_id. @returns that id */
  publishClient(path: string, more?: Readonly<Record<string, unknown>>, headers?: Record<string, string>): string;
}

export async function openClientHost(t: Test, host = 'app.client.example'): Promise<ClientHost> {
  const { key, cert } = makeCertificate(host);
  const answers = new Map<string, HostAnswer>();
  const [asked, lookedUp, reached]: string[][] = [[], [], []];
  const names = new Map<string, readonly string[]>([[host, [PUBLIC_ADDRESS]]]);
  const server = createServer({ key, cert }, (request, response) => {
    asked!.push(request.url!);
    const { status = 200, headers, body, hangs, drips } = answers.get(request.url!) ?? { status: 404 };
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    if (drips) {
      const timer = setInterval(() => response.write(' '), DRIP_MS);
      response.on('close', () => clearInterval(timer));
    } else if (hangs) response.write('{');
    else response.end(typeof body === 'string' ? body : JSON.stringify(body ?? {}));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => void server.close(() => resolve()));
  });
  const { port } = server.address() as AddressInfo;
  const url = (path: string, name = host) => `https://${name}:${port}${path}`;
  const publish: ClientHost['publish'] = (path, answer) => {
    answers.set(path, answer);
    return url(path);
  };
  return {
    names,
    lookedUp: lookedUp!,
    reached: reached!,
    asked: asked!,
    internet: {
      ca: cert,
      resolve(name, _options, callback) {
        lookedUp!.push(name);
        const found = names.get(name);
        if (found === undefined) return callback(Object.assign(new Error('unknown name'), { code: 'ENOTFOUND' }), []);
        callback(
          null,
          found.map((address) => ({ address, family: isIP(address) })),
        );
      },
      reach(address) {
        reached!.push(address);
        return '127.0.0.1';
      },
    },
    url,
    publish,
    publishClient: (path, more = {}, headers = {}) =>
      publish(path, {
        headers,
        body: {
          client_id: url(path),
          client_name: 'Agent',
          redirect_uris: [REDIRECT_URI],
          token_endpoint_auth_method: 'none',
          ...more,
        },
      }),
  };
}
