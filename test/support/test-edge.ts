/** An edge in the test's own process, with small routes that show what reached them. */
import { refuse } from '../../src/server/errors.js';
import type { AccessEntry, Edge, EdgeOptions, FaultEntry } from '../../src/server/http/listen.js';
import type { ApiRequest, Route } from '../../src/server/http/types.js';

export interface TestEdge {
  readonly edge: Edge;
  readonly port: number;
  readonly accessLog: AccessEntry[];
  readonly faults: FaultEntry[];
  /** Requests that reached a handler: method, space, path. */
  readonly reached: string[];
  close(): Promise<void>;
}

type Options = Partial<EdgeOptions<TestContext>>;

export interface TestContext {
  readonly reached: string[];
}

const show = (request: ApiRequest) => ({
  id: request.id,
  path: request.path,
  params: request.params,
  query: Object.fromEntries(request.query),
  body: request.body,
  clientIp: request.clientIp,
  socketAddress: request.socketAddress,
  caller: request.caller,
});

const body = {
  type: 'object',
  properties: {
    email: { type: 'string' },
    password: { type: 'string' },
    token: { type: 'string' },
    type: { type: 'string' },
    data: { type: 'object' },
  },
} as const;

const answer = (context: TestContext, request: ApiRequest) => {
  context.reached.push(`${request.method} ${request.path}`);
  return { status: 200, body: show(request) };
};

export const testRoutes: readonly Route<TestContext>[] = [
  { method: 'GET', path: '/health', auth: 'none', quiet: true, handler: answer },
  { method: 'GET', path: '/show', auth: 'none', handler: answer },
  { method: 'POST', path: '/echo', auth: 'none', body, maxBodyBytes: 1_048_576, trailingSlash: true, handler: answer },
  { method: 'GET', path: '/user', auth: 'user', handler: answer },
  { method: 'PUT', path: '/user', auth: 'user', body, handler: answer },
  { method: 'GET', path: '/items/{item_id}', auth: 'none', handler: answer },
  { method: 'DELETE', path: '/items/{item_id}', auth: 'none', body, bodyOptional: true, handler: answer },
  { method: 'POST', path: '/nothing', auth: 'none', handler: () => ({ status: 204 }) },
  {
    method: 'GET',
    path: '/redirect',
    auth: 'none',
    handler: (_context, request) => ({ status: 303, headers: { Location: request.query.get('to') ?? '/' } }),
  },
];

/**
 * Opens an edge on a free port of the loopback. The engine is loaded here, after the header cap is set as the launcher
 * would (SEC-10).
 */
export async function openTestEdge(options: Options = {}): Promise<TestEdge> {
  process.env['UWS_HTTP_MAX_HEADERS_SIZE'] = '32768';
  const { openEdge } = await import('../../src/server/http/listen.js');
  const accessLog: AccessEntry[] = [];
  const faults: FaultEntry[] = [];
  const reached: string[] = [];
  const edge = await openEdge<TestContext>({
    context: { reached },
    routes: testRoutes,
    host: '127.0.0.1',
    port: 0,
    authenticate: async (auth, token) => {
      if (token !== 'good') throw refuse('badJwt', { detail: 'test' });
      return { auth };
    },
    maxRequestSeconds: 10,
    corsAllowedHeaders: ['X-Extra'],
    requestIdHeader: null,
    log: { request: (entry) => void accessLog.push(entry), error: (entry) => void faults.push(entry) },
    ...options,
  });
  return { edge, port: edge.port, accessLog, faults, reached, close: () => edge.close(5) };
}
