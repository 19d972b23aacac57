/**
 * Calls to servers that are not ours: SMS gateways, captcha services, mail templates, identity providers (SEC-44).
 * node:http rather than fetch: fetch can neither bound the connecting alone nor say whether the request had left when
 * it failed, and both matter to whoever must not ask twice (REL-12).
 */
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import { inSpan } from './telemetry/trace-context.js';

export const CONNECT_SECONDS = 5;
export const TOTAL_SECONDS = 10;
export const MAX_ANSWER_BYTES = 1_048_576;
const MAX_REDIRECTS = 3;

export interface OutboundRequest {
  /** https, or http to the loopback. */
  readonly url: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** From the first byte of the look-up to the last of the answer; default {@link TOTAL_SECONDS}. */
  readonly totalSeconds?: number;
}

export interface OutboundAnswer {
  readonly status: number;
  /** By lower-case name; of a repeated header the values, with commas between. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export type OutboundFault = 'address' | 'unreachable' | 'timeout' | 'cut' | 'tooLarge' | 'redirect';

const inWords: Record<OutboundFault, string> = {
  address: 'The address of the remote server must begin with https:// (http:// only on this machine)',
  unreachable: 'The remote server cannot be reached',
  timeout: 'The remote server did not answer in time',
  cut: 'The remote server closed the connection before its answer was complete',
  tooLarge: `The answer of the remote server is larger than ${MAX_ANSWER_BYTES} bytes`,
  redirect: 'The remote server sent us on to another host, or too often',
};

/** A call without an answer. Neither text names the address: it may end up in an answer of ours (SEC-73). */
export class OutboundError extends Error {
  /** @param wasSent the connection stood, so that the remote server may have acted on the request */
  constructor(
    readonly fault: OutboundFault,
    readonly wasSent: boolean,
    options?: ErrorOptions,
  ) {
    super(inWords[fault], options);
    this.name = 'OutboundError';
  }
}

/**
 * Makes one call, never twice. A GET follows up to three redirects on its own origin; the answer to a POST is returned
 * as it is, redirect or not.
 * @throws OutboundError
 */
export async function callOut(request: OutboundRequest): Promise<OutboundAnswer> {
  // The address is left out: with some gateways it holds the account. Our trace's id is nobody else's business either,
  // so no traceparent is sent.
  return inSpan(`HTTP ${request.method ?? 'GET'}`, 'client', {}, () => followCall(request));
}

async function followCall(request: OutboundRequest): Promise<OutboundAnswer> {
  const deadline = performance.now() + (request.totalSeconds ?? TOTAL_SECONDS) * 1000;
  let url = checkAddress(request.url);
  for (let redirects = 0; ; redirects++) {
    const answer = await exchange(url, request, deadline);
    const location = answer.headers['location'];
    const isRedirect = [301, 302, 303, 307, 308].includes(answer.status) && location !== undefined;
    if (!isRedirect || (request.method ?? 'GET') !== 'GET') return answer;
    const next = URL.canParse(location, url.href) ? new URL(location, url) : null;
    if (next?.origin !== url.origin || redirects === MAX_REDIRECTS) throw new OutboundError('redirect', true);
    url = next;
  }
}

function checkAddress(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))) return url;
  throw new OutboundError('address', false);
}

/** @param hostname as a parsed URL has it */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

function exchange(url: URL, request: OutboundRequest, deadline: number): Promise<OutboundAnswer> {
  return new Promise((resolve, reject) => {
    const isSecure = url.protocol === 'https:';
    const { body = '' } = request;
    let wasSent = false;
    // No agent: a kept connection may be closed by its other end just as the request leaves, and nobody could tell
    // whether it was read.
    const outgoing = (isSecure ? requestHttps : requestHttp)(url, {
      agent: false,
      method: request.method ?? 'GET',
      headers: {
        Accept: '*/*',
        'Accept-Encoding': 'identity',
        'User-Agent': 'latchkey',
        ...request.headers,
        ...(body !== '' && { 'Content-Length': String(Buffer.byteLength(body)) }),
      },
    });
    const fail = (fault: OutboundFault, cause?: unknown): void => {
      clearTimeout(connecting);
      clearTimeout(whole);
      reject(new OutboundError(fault, wasSent, cause === undefined ? undefined : { cause }));
      outgoing.destroy();
    };
    const connecting = setTimeout(() => fail('unreachable'), CONNECT_SECONDS * 1000);
    const whole = setTimeout(
      () => fail(wasSent ? 'timeout' : 'unreachable'),
      Math.max(0, deadline - performance.now()),
    );

    outgoing.on('socket', (socket: Socket) => {
      socket.once(isSecure ? 'secureConnect' : 'connect', () => {
        wasSent = true;
        clearTimeout(connecting);
      });
    });
    outgoing.on('error', (error) => fail(wasSent ? 'cut' : 'unreachable', error));
    outgoing.on('response', (incoming) => {
      const chunks: Buffer[] = [];
      let size = 0;
      incoming.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > MAX_ANSWER_BYTES) fail('tooLarge');
        else chunks.push(chunk);
      });
      incoming.on('error', (error) => fail('cut', error));
      incoming.on('end', () => {
        clearTimeout(whole);
        const headers = Object.entries(incoming.headersDistinct).map(([name, values]) => [name, values!.join(', ')]);
        resolve({
          status: incoming.statusCode ?? 0,
          headers: Object.fromEntries(headers),
          text: Buffer.concat(chunks).toString('utf8'),
        });
      });
    });
    outgoing.end(body);
  });
}
