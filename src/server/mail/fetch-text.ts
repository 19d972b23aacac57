import http from 'node:http';
import https from 'node:https';
import { isLoopback } from './mailer.js';

export interface FetchLimits {
  readonly connectSeconds: number;
  readonly totalSeconds: number;
  readonly maxBytes: number;
}

const MAX_REDIRECTS = 3;

/**
 * Reads a text with GET. https only, http to this machine; no redirect to another host (SEC-44). node:https rather than
 * fetch, which cannot bound the connecting apart.
 * @throws Error saying what is wrong, without what the server sent
 */
export async function fetchText(url: string, limits: FetchLimits): Promise<string> {
  const signal = AbortSignal.timeout(limits.totalSeconds * 1000);
  let target = checkUrl(url);
  for (let redirects = 0; ; redirects++) {
    const response = await get(target, limits.connectSeconds, signal, limits.totalSeconds);
    const { statusCode = 0 } = response;
    const { location } = response.headers;
    if ([301, 302, 303, 307, 308].includes(statusCode) && location !== undefined) {
      response.destroy();
      const next = checkUrl(new URL(location, target).href);
      if (next.hostname !== target.hostname) throw new Error('It redirects to another host, which is not followed');
      if (target.protocol === 'https:' && next.protocol !== 'https:') throw new Error('It redirects to http');
      if (redirects >= MAX_REDIRECTS) throw new Error(`It redirects more than ${MAX_REDIRECTS} times`);
      target = next;
      continue;
    }
    if (statusCode !== 200) {
      response.destroy();
      throw new Error(`It answers with status ${statusCode}`);
    }
    return readBody(response, limits.maxBytes);
  }
}

function checkUrl(url: string): URL {
  if (!URL.canParse(url)) throw new Error('It is not a URL');
  const parsed = new URL(url);
  if (parsed.protocol === 'https:') return parsed;
  const host = parsed.hostname.replace(/^\[|\]$/g, '');
  if (parsed.protocol === 'http:' && isLoopback(host)) return parsed;
  throw new Error('It must begin with https://, or http:// on this machine');
}

function get(
  url: URL,
  connectSeconds: number,
  signal: AbortSignal,
  totalSeconds: number,
): Promise<http.IncomingMessage> {
  const { request: open } = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const request = open(url, { agent: false, signal, headers: { accept: 'text/html, */*;q=0.1' } });
    const timer = setTimeout(
      () => request.destroy(new Error(`No connection within ${connectSeconds} s`)),
      connectSeconds * 1000,
    );
    const isEncrypted = url.protocol === 'https:';
    request.once('socket', (socket) =>
      socket.once(isEncrypted ? 'secureConnect' : 'connect', () => clearTimeout(timer)),
    );
    request.once('response', resolve);
    request.once('error', (error) => reject(signal.aborted ? new Error(`No answer within ${totalSeconds} s`) : error));
    request.once('close', () => clearTimeout(timer));
    request.end();
  });
}

async function readBody(response: http.IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) {
      response.destroy();
      throw new Error(`It is larger than ${maxBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/^\ufeff/, '');
}
