/** Requests of tests by node:http: fetch takes three times the processor time, a millisecond for each. */
import { Agent, request } from 'node:http';

export interface PlainAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const agent = new Agent({ keepAlive: true });
/** What fetch sends by itself. */
const USUAL = { accept: '*/*', 'accept-language': '*', 'sec-fetch-mode': 'cors', 'user-agent': 'node' };

/** Follows no redirect. @throws what a connection or its end throws */
export function sendPlain(
  url: string,
  { method, headers = {}, body }: { method: string; headers?: Readonly<Record<string, string>>; body?: string },
): Promise<PlainAnswer> {
  const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  // With DELETE node:http sends none by itself.
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, agent, headers: { ...USUAL, ...length, ...given } }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (part: string) => {
        text += part;
      });
      answer.on('error', reject);
      answer.on('end', () => resolve({ status: answer.statusCode!, headers: headersOf(answer.rawHeaders), text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function headersOf(raw: readonly string[]): Headers {
  const headers = new Headers();
  for (let at = 0; at < raw.length; at += 2) headers.append(raw[at]!, raw[at + 1]!);
  return headers;
}
