/** A server that records all bytes and responds with 200: it shows what a proxy forwards. */
import net, { type AddressInfo } from 'node:net';
import type { Test } from './tap.js';

export interface RecordingUpstream {
  readonly address: string;
  /** All bytes of each connection, in the order of their opening, without health checks. */
  received(): string[];
  /** For how long the last connection that served a request lay idle before the proxy closed it; null: still open. */
  readonly idleMs: number | null;
}

export async function startRecordingUpstream(t: Test): Promise<RecordingUpstream> {
  const connections: { text: string; lastMs: number }[] = [];
  const sockets = new Set<net.Socket>();
  let idleMs: number | null = null;
  const server = net.createServer((socket) => {
    const connection = { text: '', lastMs: 0 };
    connections.push(connection);
    sockets.add(socket);
    let unanswered = '';
    socket.setEncoding('latin1').on('data', (chunk: Buffer | string) => {
      connection.text += chunk;
      unanswered += chunk;
      for (let rest = takeRequest(unanswered); rest !== null; rest = takeRequest(unanswered)) {
        unanswered = rest;
        connection.lastMs = performance.now();
        socket.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}');
      }
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      if (connection.text.replace(CHECK, '') === '') return;
      idleMs = performance.now() - connection.lastMs;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: () => connections.map(({ text }) => text.replace(CHECK, '')).filter((text) => text !== ''),
    get idleMs() {
      return idleMs;
    },
  };
}

/** Health checks of proxies, which may share connections with requests. */
const CHECK = /^GET \/health\/ready (?:.+\r\n)+\r\n/gm;

/** @returns the bytes after the first complete request; null if none is complete */
function takeRequest(text: string): string | null {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return null;
  const head = text.slice(0, end);
  const body = text.slice(end + 4);
  if (/^transfer-encoding:/im.test(head)) {
    const last = /(?:^|\r\n)0\r\n(?:[^\r]+\r\n)*\r\n/.exec(body);
    return last === null ? null : body.slice(last.index + last[0].length);
  }
  const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
  return body.length < length ? null : body.slice(length);
}
