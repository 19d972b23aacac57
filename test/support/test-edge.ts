/** An edge in the test's own process, with small routes that return what they received. */
import { apiError } from '../../src/server/errors.js';
import type { Edge } from '../../src/server/http/listen.js';
import type { EdgeOptions } from '../../src/server/http/options.js';
import type { ApiRequest, Route } from '../../src/server/http/types.js';
import type { AccessEntry, FaultEntry } from '../../src/server/telemetry/edge.js';

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
  { method: 'GET', path: '/health', caller: 'none', quiet: true, handler: answer },
  { method: 'GET', path: '/show', caller: 'none', handler: answer },
  { method: 'GET', path: '/once', caller: 'none', changesOnGet: true, handler: answer },
  {
    method: 'POST',
    path: '/echo',
    caller: 'none',
    body,
    maxBodyBytes: 1_048_576,
    trailingSlash: true,
    handler: answer,
  },
  { method: 'GET', path: '/user', caller: 'user', handler: answer },
  { method: 'PUT', path: '/user', caller: 'user', body, handler: answer },
  { method: 'GET', path: '/items/{item_id}', caller: 'none', handler: answer },
  { method: 'DELETE', path: '/items/{item_id}', caller: 'none', body, bodyOptional: true, handler: answer },
  { method: 'POST', path: '/nothing', caller: 'none', handler: () => ({ status: 204 }) },
  {
    method: 'GET',
    path: '/redirect',
    caller: 'none',
    handler: (_context, request) => ({ status: 303, headers: { Location: request.query.get('to') ?? '/' } }),
  },
];

/** Opens an edge on a free port of the loopback. The engine is loaded here, after tap.ts has set the header cap (SEC-10). */
export async function openTestEdge(options: Options = {}): Promise<TestEdge> {
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
      if (token !== 'good') throw apiError('badJwt', { detail: 'test' });
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
