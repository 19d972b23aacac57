/**
 * Calls to external servers: SMS gateways, captcha services, mail templates, identity providers, hooks (SEC-44). They use
 * node:http, since fetch has no separate time limit for connecting and does not report whether a failed request was
 * sent, which callers need that must not repeat a call (REL-12).
 */
import { type Agent, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { inSpan } from '../telemetry/trace-context.js';
import { isLoopback } from './loopback.js';
import { isPrivateName, lookUpPublic, lookUpTest, PrivateAddressError, type TestInternet } from './public-address.js';

export const CONNECT_SECONDS = 5;
export const TOTAL_SECONDS = 10;
export const MAX_ANSWER_BYTES = 1_048_576;
const MAX_REDIRECTS = 3;

export interface OutboundRequest {
  /** https, or http to a loopback address. */
  readonly url: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Limit of the whole call, including DNS; default {@link TOTAL_SECONDS}. */
  readonly totalSeconds?: number;
  /** Limit of connecting; default {@link CONNECT_SECONDS}. */
  readonly connectSeconds?: number;
  /** Default {@link MAX_ANSWER_BYTES}. */
  readonly maxAnswerBytes?: number;
  /** Keeps connections, for calls that may be repeated; default: a connection of its own. */
  readonly agent?: Agent;
  /** A host besides this machine that may be called over http://. */
  readonly plainHost?: string;
  /**
   * Set for addresses that did not come with the settings: hosts on private networks are refused, except those listed
   * here (OUTBOUND_PRIVATE_HOSTS). The name is resolved once, and the connection goes to the address that was checked.
   */
  readonly privateHosts?: readonly string[] | undefined;
  /** Resolves the name of a new connection; not with `privateHosts`. */
  readonly lookup?: LookupFunction;
  /** False: an answer that redirects is returned like any other. */
  readonly followsRedirects?: boolean;
  /** True: the answer says how long the certificate of the server is valid. */
  readonly readsCertificate?: boolean;
  /** Behind the guard of `privateHosts`, in tests. */
  readonly testInternet?: TestInternet | undefined;
}

export interface OutboundAnswer {
  readonly status: number;
  /** By lower-case name; values of a repeated header are joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** With `readsCertificate`: end of validity in milliseconds since the epoch; absent over http. */
  readonly certificateEndsMs?: number;
}

export type OutboundFault = 'address' | 'private' | 'unreachable' | 'timeout' | 'cut' | 'tooLarge' | 'redirect';

const messages: Record<OutboundFault, string> = {
  address: 'The address of the remote server must begin with https:// (http:// only on this machine)',
  private: 'The remote server is not on the public internet',
  unreachable: 'The remote server cannot be reached',
  timeout: 'The remote server did not answer in time',
  cut: 'The remote server closed the connection before its answer was complete',
  tooLarge: `The answer of the remote server is larger than ${MAX_ANSWER_BYTES} bytes`,
  redirect: 'The remote server sent us on to another host, or too often',
};

/** A call without an answer. The message does not contain the address, since it may reach a client (SEC-73). */
export class OutboundError extends Error {
  readonly fault: OutboundFault;
  readonly wasSent: boolean;
  /** The beginning of the answer; undefined before its status. */
  readonly answer: OutboundAnswer | undefined;
  /** The connection had been kept from an earlier call, so the remote server may have closed it before. */
  readonly wasReused: boolean;

  /** @param wasSent the connection was open, so the remote server may have acted on the request */
  constructor(
    fault: OutboundFault,
    wasSent: boolean,
    options: ErrorOptions & { readonly answer?: OutboundAnswer | undefined; readonly wasReused?: boolean } = {},
  ) {
    super(messages[fault], options.cause === undefined ? undefined : { cause: options.cause });
    this.fault = fault;
    this.wasSent = wasSent;
    this.answer = options.answer;
    this.wasReused = options.wasReused ?? false;
    this.name = 'OutboundError';
  }
}

/**
 * Makes one call, without retries. A GET follows up to three redirects on its own origin; the answer to a POST is
 * returned unchanged.
 * @throws OutboundError
 */
export async function callOut(request: OutboundRequest): Promise<OutboundAnswer> {
  // The span has no address, which contains the account with some gateways. The trace id stays internal, too, so no
  // traceparent is sent.
  return inSpan(`HTTP ${request.method ?? 'GET'}`, 'client', {}, () => followCall(request));
}

async function followCall(request: OutboundRequest): Promise<OutboundAnswer> {
  const deadline = performance.now() + (request.totalSeconds ?? TOTAL_SECONDS) * 1000;
  let url = checkAddress(request);
  for (let redirects = 0; ; redirects++) {
    const answer = await exchange(url, request, deadline);
    const location = answer.headers['location'];
    const isRedirect = [301, 302, 303, 307, 308].includes(answer.status) && location !== undefined;
    const follows = (request.method ?? 'GET') === 'GET' && request.followsRedirects !== false;
    if (!isRedirect || !follows) return answer;
    const next = URL.canParse(location, url.href) ? new URL(location, url) : null;
    if (next?.origin !== url.origin || redirects === MAX_REDIRECTS) throw new OutboundError('redirect', true);
    url = next;
  }
}

function checkAddress({ url: text, plainHost, privateHosts }: OutboundRequest): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isUsable =
    url?.protocol === 'https:' ||
    (url?.protocol === 'http:' && (isLoopback(url.hostname) || url.hostname === plainHost));
  if (!isUsable) throw new OutboundError('address', false);
  if (isGuarded(url, privateHosts) && isPrivateName(url.hostname)) throw new OutboundError('private', false);
  return url;
}

const isGuarded = ({ hostname }: URL, privateHosts: readonly string[] | undefined): boolean =>
  privateHosts !== undefined && !privateHosts.includes(hostname);

const guardedConnection = ({ testInternet }: OutboundRequest) =>
  testInternet === undefined ? { lookup: lookUpPublic } : { lookup: lookUpTest(testInternet), ca: testInternet.ca };

function exchange(url: URL, request: OutboundRequest, deadline: number): Promise<OutboundAnswer> {
  return new Promise((resolve, reject) => {
    const isSecure = url.protocol === 'https:';
    const { body = '', maxAnswerBytes = MAX_ANSWER_BYTES } = request;
    let wasSent = false;
    let incomplete: (() => OutboundAnswer) | undefined;
    // By default no agent: a kept connection may be closed by the peer while the request is sent, and it would be unknown
    // whether the request was read.
    const outgoing = (isSecure ? requestHttps : requestHttp)(url, {
      agent: request.agent ?? false,
      ...(request.lookup !== undefined && { lookup: request.lookup }),
      ...(isGuarded(url, request.privateHosts) && guardedConnection(request)),
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
      const { reusedSocket: wasReused } = outgoing;
      reject(new OutboundError(fault, wasSent, { cause, answer: incomplete?.(), wasReused }));
      outgoing.destroy();
    };
    const connecting = setTimeout(() => fail('unreachable'), (request.connectSeconds ?? CONNECT_SECONDS) * 1000);
    const whole = setTimeout(
      () => fail(wasSent ? 'timeout' : 'unreachable'),
      Math.max(0, deadline - performance.now()),
    );

    outgoing.on('socket', (socket: Socket) => {
      if (outgoing.reusedSocket) {
        wasSent = true;
        clearTimeout(connecting);
        return;
      }
      socket.once(isSecure ? 'secureConnect' : 'connect', () => {
        wasSent = true;
        clearTimeout(connecting);
      });
    });
    outgoing.on('error', (error) => {
      if (error instanceof PrivateAddressError) return fail('private');
      fail(wasSent ? 'cut' : 'unreachable', error);
    });
    outgoing.on('response', (incoming) => {
      // Before the connection is closed, which forgets it.
      const certificateEndsMs =
        isSecure && request.readsCertificate
          ? Date.parse((incoming.socket as TLSSocket).getPeerCertificate().valid_to)
          : 0;
      const chunks: Buffer[] = [];
      let size = 0;
      const answer = (): OutboundAnswer => ({
        status: incoming.statusCode ?? 0,
        headers: Object.fromEntries(
          Object.entries(incoming.headersDistinct).map(([name, values]) => [name, values!.join(', ')]),
        ),
        text: Buffer.concat(chunks).toString('utf8'),
        ...(isSecure && request.readsCertificate && { certificateEndsMs }),
      });
      incomplete = answer;
      incoming.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxAnswerBytes) fail('tooLarge');
        else chunks.push(chunk);
      });
      incoming.on('error', (error) => fail('cut', error));
      incoming.on('end', () => {
        clearTimeout(whole);
        resolve(answer());
      });
    });
    outgoing.end(body);
  });
}
