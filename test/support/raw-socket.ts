/** A TCP client that sends exactly the given bytes and reads responses one by one. */
import net from 'node:net';
import tls from 'node:tls';

export interface RawAnswer {
  readonly status: number;
  /** In the order sent; names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  /** The head as received, latin1. */
  readonly head: string;
}

export class RawSocket {
  readonly #socket: net.Socket;
  #received = Buffer.alloc(0);
  #isClosed = false;
  #wake: () => void = () => {};

  private constructor(socket: net.Socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#wake();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#isClosed = true;
      this.#wake();
    });
  }

  /** @param localAddress the client address, e.g. 127.0.0.2; Linux has all of 127/8 */
  static connect(port: number, host = '127.0.0.1', localAddress?: string): Promise<RawSocket> {
    return new Promise((resolve, reject) => {
      const socket = net.connect({ port, host, noDelay: true, ...(localAddress && { localAddress }) });
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(new RawSocket(socket));
      });
    });
  }

  /** HTTP/1.1 over TLS; any certificate is accepted. */
  static connectTls(port: number, host = '127.0.0.1'): Promise<RawSocket> {
    return new Promise((resolve, reject) => {
      const options = { port, host, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'], servername: 'auth.test' };
      const socket = tls.connect(options, () => {
        socket.off('error', reject);
        resolve(new RawSocket(socket));
      });
      socket.once('error', reject);
    });
  }

  /** @param bytes a string is sent as latin1 */
  write(bytes: string | Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      this.#socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes, () => resolve());
    });
  }

  /**
   * Reads one response. Informational ones (1xx) are skipped.
   * @param hasBody false for the response to a HEAD request
   * @throws Error if the connection closes or the time is over before the response is complete
   */
  async read({ timeoutMs = 5000, hasBody = true } = {}): Promise<RawAnswer> {
    const endsAt = Date.now() + timeoutMs;
    for (;;) {
      const answer = this.#takeAnswer(hasBody);
      if (answer !== null && answer.status >= 200) return answer;
      if (answer !== null) continue;
      if (this.#isClosed) throw new Error('The connection was closed without a response');
      await this.#nextEvent(endsAt, 'No response in time');
    }
  }

  /** @returns all remaining bytes until the server closes. @throws Error if it does not close in time */
  async readToEnd(timeoutMs = 5000): Promise<string> {
    const endsAt = Date.now() + timeoutMs;
    while (!this.#isClosed) await this.#nextEvent(endsAt, 'The server did not close the connection');
    return this.#received.toString('latin1');
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  close(): void {
    this.#socket.destroy();
  }

  #takeAnswer(hasBody: boolean): RawAnswer | null {
    const end = this.#received.indexOf('\r\n\r\n');
    if (end === -1) return null;
    const head = this.#received.toString('latin1', 0, end);
    const [statusLine = '', ...lines] = head.split('\r\n');
    const headers = lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    });
    const length = headers.find(([name]) => name === 'content-length')?.[1];
    const size = hasBody && length !== undefined ? Number(length) : 0;
    if (this.#received.length < end + 4 + size) return null;
    const body = this.#received.toString('utf8', end + 4, end + 4 + size);
    this.#received = this.#received.subarray(end + 4 + size);
    return { status: Number(statusLine.split(' ')[1]), headers, body, head };
  }

  async #nextEvent(endsAt: number, late: string): Promise<void> {
    const left = endsAt - Date.now();
    if (left <= 0) throw new Error(late);
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      timer = setTimeout(resolve, left);
    });
    clearTimeout(timer);
  }
}

/** One request on a connection of its own. */
export async function exchangeRaw(port: number, bytes: string | Uint8Array, timeoutMs?: number): Promise<RawAnswer> {
  const socket = await RawSocket.connect(port);
  try {
    await socket.write(bytes);
    const hasBody = !bytes.toString().startsWith('HEAD ');
    return await socket.read({ hasBody, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
  } finally {
    socket.close();
  }
}

/** One request whose connection the server must close. @returns all bytes received */
export async function exchangeUntilClose(
  port: number,
  bytes: string | Uint8Array,
  timeoutMs?: number,
): Promise<string> {
  const socket = await RawSocket.connect(port);
  try {
    await socket.write(bytes);
    return await socket.readToEnd(timeoutMs);
  } finally {
    socket.close();
  }
}

/** @returns the first value of a header. @param name lower case */
export function headerOf(answer: RawAnswer, name: string): string | undefined {
  return answer.headers.find(([key]) => key === name)?.[1];
}

/** Text of a request with Host and, if a body is given, Content-Length. */
export function requestText(
  method: string,
  target: string,
  { headers = [], body }: { headers?: readonly string[]; body?: string } = {},
): string {
  const lines = [`${method} ${target} HTTP/1.1`, 'Host: auth.test', ...headers];
  if (body !== undefined) lines.push(`Content-Length: ${Buffer.byteLength(body, 'latin1')}`);
  return `${lines.join('\r\n')}\r\n\r\n${body ?? ''}`;
}
