import { connect, createServer, type Socket } from 'node:net';
import type { Test } from './tap.js';

/** A proxy between client and Postgres that drops chosen messages. */
export interface FaultyServer {
  readonly url: string;
  /** The next client message with this text is dropped together with its connection; Postgres never receives it. */
  loseRequest(text: string): void;
  /** Postgres receives the next message with this text and responds; the response is dropped together with the connection. */
  loseAnswer(text: string): void;
  /** From the next message with this text on, no response passes; the connection stays open. */
  goSilentAfter(text: string): void;
  /** Rejects a start-up packet with this text as PgBouncer does: 08P01. */
  refuseStartup(text: string): void;
  /** Start-up packets seen, as text. */
  readonly startups: readonly string[];
}

type Fault = { kind: 'request' | 'answer' | 'silence'; text: string };

export async function startFaultyServer(test: Test, url: string): Promise<FaultyServer> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const startups: string[] = [];
  let fault: Fault | undefined;
  let refused: string | undefined;
  const arm = (kind: Fault['kind'], text: string): void => {
    fault = { kind, text };
  };

  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    let state: 'forward' | 'lose' | 'silent' = 'forward';
    let hasStarted = false;
    const cut = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', cut).on('close', () => {
        sockets.delete(socket);
        cut();
      });
    }
    client.on('data', (chunk) => {
      const text = chunk.toString('latin1');
      if (!hasStarted) {
        hasStarted = true;
        startups.push(text);
        if (refused !== undefined && text.includes(refused)) {
          client.end(refusal(`unsupported startup parameter: ${refused}`));
          return;
        }
      }
      if (fault !== undefined && text.includes(fault.text)) {
        const { kind } = fault;
        fault = undefined;
        if (kind === 'request') return cut();
        state = kind === 'answer' ? 'lose' : 'silent';
      }
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      if (state === 'forward') client.write(chunk);
      else if (state === 'lose') cut();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const own = new URL(url);
  own.port = String((server.address() as { port: number }).port);
  return {
    url: own.href,
    startups,
    loseRequest: (text) => arm('request', text),
    loseAnswer: (text) => arm('answer', text),
    goSilentAfter: (text) => arm('silence', text),
    refuseStartup: (text) => {
      refused = text;
    },
  };
}

/** An ErrorResponse (https://www.postgresql.org/docs/current/protocol-message-formats.html). */
function refusal(message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C08P01\0M${message}\0\0`, 'latin1');
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}
