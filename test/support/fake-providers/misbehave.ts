/** Invalid responses of providers (REL-13). */
import type { ServerResponse } from 'node:http';
import type { Reply } from './contract.js';

/**
 * slow: reads, never responds · drip: a byte every 100 ms, without end · huge: 2 MB of JSON · html: a page of some proxy,
 * 200 · empty object, null, array, number: as JSON, 200 · error with 200: an OAuth error that says it is fine · server
 * error: 500 · cut: closes at once · cut body: closes in the middle · redirect: to another host · not utf-8: bytes that
 * are no text · or any given response
 */
export type Misbehaviour =
  | 'slow'
  | 'drip'
  | 'huge'
  | 'html'
  | 'empty object'
  | 'null'
  | 'array'
  | 'number'
  | 'error with 200'
  | 'server error'
  | 'cut'
  | 'cut body'
  | 'redirect'
  | 'not utf-8'
  | Reply;

const badReplies: Readonly<Record<string, Reply>> = {
  html: { type: 'text/html', body: '<html><body>Please sign in to the proxy</body></html>' },
  'empty object': { body: {} },
  null: { body: null },
  array: { body: [] },
  number: { body: 7 },
  'error with 200': { body: { error: 'server_error', error_description: '<b>sorry</b>' } },
  'server error': { status: 500, body: { error: 'server_error' } },
  redirect: { status: 307, headers: { Location: 'http://127.0.0.2:1/elsewhere' }, body: '' },
};

/** @param good the valid response */
export function misbehave(how: Misbehaviour, good: Reply, response: ServerResponse): void {
  const bad = typeof how === 'object' ? how : badReplies[how];
  if (bad !== undefined) writeReply(response, bad);
  else if (how === 'huge') writeReply(response, pad(good));
  else if (how === 'cut') response.destroy();
  else if (how !== 'slow') {
    const bytes =
      how === 'not utf-8' ? Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]) : Buffer.from('{"a');
    response.writeHead(200, {
      'Content-Type': 'application/json',
      ...(how === 'cut body' && { 'Content-Length': '100' }),
    });
    if (how === 'not utf-8') response.end(bytes);
    else response.write(bytes, () => (how === 'cut body' ? response.destroy() : drip(response)));
  }
}

function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write('a'), 100);
  response.on('close', () => clearInterval(timer));
}

/** The same, and 2 MB more of it. */
function pad(reply: Reply): Reply {
  const { body } = reply;
  if (typeof body === 'string') return { ...reply, body: `${body}&padding=${'x'.repeat(2_000_000)}` };
  return { ...reply, body: { ...(body as object), padding: 'x'.repeat(2_000_000) } };
}

export function writeReply(response: ServerResponse, reply: Reply): void {
  const { status = 200, type = 'application/json; charset=utf-8', headers = {}, body } = reply;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': String(Buffer.byteLength(text)), ...headers });
  response.end(text);
}
