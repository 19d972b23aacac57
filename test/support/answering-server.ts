/** A server on this machine that answers as a test says, path by path, and keeps what it was asked. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';

export interface Asked {
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
  /** Text as it is, anything else as JSON; undefined: no answer ever. */
  readonly body: unknown;
}

export interface AnsweringServer {
  readonly url: string;
  readonly asked: Asked[];
  /** By path; any other gets 404 and a page of HTML. */
  readonly answers: Map<string, Answer | ((asked: Asked) => Answer | Promise<Answer>)>;
}

export async function startAnsweringServer(test: Test): Promise<AnsweringServer> {
  const asked: Asked[] = [];
  const answers: AnsweringServer['answers'] = new Map();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { pathname, searchParams } = new URL(request.url!, 'http://localhost');
    const entry: Asked = {
      method: request.method!,
      path: pathname,
      query: searchParams,
      headers: request.headers,
      form: new URLSearchParams(Buffer.concat(chunks).toString()),
    };
    asked.push(entry);
    const found = answers.get(pathname) ?? {
      status: 404,
      headers: { 'content-type': 'text/html' },
      body: '<h1>?</h1>',
    };
    const { status = 200, headers, body } = typeof found === 'function' ? await found(entry) : found;
    if (body === undefined) return;
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.teardown(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, answers };
}
