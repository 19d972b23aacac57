/** A receiver of hooks: a real HTTP server that records calls and answers as the test says. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import type { Test } from './tap.js';

export interface HookCall {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on its members.
  readonly body: any;
}

/** An object is sent as JSON with status 200; a function writes the whole answer. */
type HookAnswer = object | ((response: ServerResponse, call: HookCall) => void);

export interface HookReceiver {
  readonly url: string;
  readonly calls: HookCall[];
  /** What the next calls get. */
  answer: (call: HookCall) => HookAnswer | Promise<HookAnswer>;
}

export const HOOK_SECRET = 'v1,whsec_dGhlLXNlY3JldC1vZi10aGUtdGVzdHMtb2YtaG9va3M=';

/** Ends a call with a status and a body. */
export const reply =
  (
    status: number,
    body: string | Buffer = '',
    headers: Record<string, string> = { 'content-type': 'application/json' },
  ) =>
  (response: ServerResponse): void => {
    response.writeHead(status, headers).end(body);
  };

export async function openHookReceiver(t: Test, answer: HookReceiver['answer'], port = 0): Promise<HookReceiver> {
  const calls: HookCall[] = [];
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = await readText(request);
    const call = { headers: request.headers, text, body: JSON.parse(text) };
    calls.push(call);
    const given = await receiver.answer(call);
    if (typeof given === 'function') given(response, call);
    else reply(200, JSON.stringify(given))(response);
  };
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const receiver: HookReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    calls,
    answer,
  };
  return receiver;
}

/** The settings of a hook that is on. @param name in capitals */
export const hookSettingsOf = (name: string, url: string): Record<string, string> => ({
  [`HOOK_${name}_ENABLED`]: 'true',
  [`HOOK_${name}_URI`]: url,
  [`HOOK_${name}_SECRETS`]: HOOK_SECRET,
});
