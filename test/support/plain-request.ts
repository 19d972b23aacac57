/** Requests of tests by node:http: fetch takes three times the processor time, a millisecond for each. */
import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { urlToHttpOptions } from 'node:url';

export interface PlainAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/**
 * How long a connection waits for its next request. The server closes it after 8 to 12 s, as it announces; on a busy machine a request
 * that is sent at that moment would meet the end of the connection.
 */
export const MOST_IDLE_MS = 4000;
const agent = new Agent({ keepAlive: true, timeout: MOST_IDLE_MS });
/** What fetch sends by itself. */
const USUAL = { accept: '*/*', 'accept-language': '*', 'sec-fetch-mode': 'cors', 'user-agent': 'node' };

/** Follows no redirect. @throws what a connection or its end throws */
export async function sendPlain(
  url: string,
  { method, headers = {}, body }: { method: string; headers?: Readonly<Record<string, string>>; body?: string },
): Promise<PlainAnswer> {
  const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  // With DELETE node:http sends none by itself.
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const options = { method, agent, headers: { ...USUAL, ...length, ...given } };
  const { answer, text } = await exchange({ ...urlToHttpOptions(new URL(url)), ...options }, body);
  return { status: answer.statusCode!, headers: headersOf(answer.rawHeaders), text };
}

/** One request and its whole answer, as text. @throws what a connection or its end throws */
export const exchange = (
  options: RequestOptions,
  body?: string,
): Promise<{ readonly answer: IncomingMessage; readonly text: string }> =>
  new Promise((resolve, reject) => {
    const sent = request(options, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (part: string) => {
        text += part;
      });
      answer.on('error', reject);
      answer.on('end', () => resolve({ answer, text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });

function headersOf(raw: readonly string[]): Headers {
  const headers = new Headers();
  for (let at = 0; at < raw.length; at += 2) headers.append(raw[at]!, raw[at + 1]!);
  return headers;
}
