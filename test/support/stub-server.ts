/** A local HTTP server that gives configured responses by path and records its requests. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Test } from './tap.js';

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  /** The body, read as a form. */
  readonly form: URLSearchParams;
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent as it is, anything else as JSON; undefined: no response at all. */
  readonly body: unknown;
}

export interface StubServer {
  readonly url: string;
  readonly requests: ReceivedRequest[];
  /** By path; any other gets 404 and a page of HTML. */
  readonly answers: Map<string, Answer | ((request: ReceivedRequest) => Answer | Promise<Answer>)>;
}

export async function startStubServer(test: Test): Promise<StubServer> {
  const requests: ReceivedRequest[] = [];
  const answers: StubServer['answers'] = new Map();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const { pathname, searchParams } = new URL(request.url!, 'http://localhost');
    const entry: ReceivedRequest = {
      method: request.method!,
      path: pathname,
      query: searchParams,
      headers: request.headers,
      form: new URLSearchParams(body),
    };
    requests.push(entry);
    const found = answers.get(pathname) ?? {
      status: 404,
      headers: { 'content-type': 'text/html' },
      body: '<h1>?</h1>',
    };
    const { status = 200, headers, body: answered } = typeof found === 'function' ? await found(entry) : found;
    if (answered === undefined) return;
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof answered === 'string' ? answered : JSON.stringify(answered));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.teardown(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, answers };
}
