import { headerOf, RawSocket, requestText } from './raw-socket.js';

/** One persistent connection to a server, one request after another. */
export interface KeptConnection {
  send(method: string, path: string, body?: unknown, bearer?: string): Promise<KeptAnswer>;
  close(): void;
}

export interface KeptAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on its members.
  readonly body: any;
  /** The server closes the connection after this response. */
  readonly isLast: boolean;
}

export async function keepConnection(port: number): Promise<KeptConnection> {
  const socket = await RawSocket.connect(port);
  return {
    async send(method, path, body, bearer) {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const headers = [
        ...(text === undefined ? [] : ['Content-Type: application/json']),
        ...(bearer === undefined ? [] : [`Authorization: Bearer ${bearer}`]),
      ];
      await socket.write(requestText(method, path, { headers, ...(text === undefined ? {} : { body: text }) }));
      const answer = await socket.read({ timeoutMs: 20_000 });
      return {
        status: answer.status,
        body: answer.body === '' ? undefined : JSON.parse(answer.body),
        isLast: headerOf(answer, 'connection') === 'close',
      };
    },
    close: () => socket.close(),
  };
}
