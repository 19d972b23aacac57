/** A process that sends requests for a test, so that the CPU time of the server's process is that of the server alone. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import { fileURLToPath } from 'node:url';
import { MOST_IDLE_MS } from './plain-request.js';
import type { Test } from './tap.js';

export interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface SendingProcess {
  /** Hands a request over; it waits there to be sent, any number of times. */
  prepare(request: SentRequest): Promise<void>;
  /** @returns the status of the answer */
  send(): Promise<number>;
}

type Order = { prepare: SentRequest } | 'send';

export function startSendingProcess(t: Test, port: number): SendingProcess {
  const child = fork(fileURLToPath(import.meta.url), [String(port)]);
  t.teardown(() => child.kill());
  const tell = async (order: Order): Promise<number> => {
    child.send(order);
    return (await once(child, 'message'))[0] as number;
  };
  return { prepare: async (request) => void (await tell({ prepare: request })), send: () => tell('send') };
}

function serve(port: number): void {
  const agent = new http.Agent({ keepAlive: true, timeout: MOST_IDLE_MS });
  let request: SentRequest;
  let bytes: Buffer;
  process.on('message', (order: Order) => {
    if (order !== 'send') {
      request = order.prepare;
      bytes = Buffer.from(request.body);
      process.send!(0);
      return;
    }
    const { method, path, headers } = request;
    const sent = http.request({ agent, host: '127.0.0.1', port, method, path, headers }, (answer) => {
      answer.resume().on('end', () => process.send!(answer.statusCode));
    });
    sent.on('error', () => process.send!(0));
    sent.setHeader('Content-Length', bytes.length);
    sent.end(bytes);
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) serve(Number(process.argv[2]));
