import { connect, type Socket } from 'node:net';

const READ_BYTES = 65_536;
const END_OF_HEAD = '\r\n\r\n';
const LENGTH_HEADER = '\r\nContent-Length: ';
const DIGIT_0 = 0x30;

export interface AnswerHandler {
  /** @param answer the whole of it, head included; valid during the call only */
  onAnswer(status: number, answer: Buffer): void;
  onClose(): void;
}

/**
 * A keep-alive connection of the load generator. Node's own client takes four times the processor time for a request,
 * on cores that the server needs.
 */
export class HttpConnection {
  readonly #socket: Socket;

  constructor(url: string, handler: AnswerHandler) {
    const { hostname: host, port } = new URL(url);
    const reader = new AnswerReader((status, answer) => handler.onAnswer(status, answer));
    const buffer = Buffer.allocUnsafe(READ_BYTES);
    const callback = (length: number) => {
      reader.push(buffer.subarray(0, length));
      return true;
    };
    // One buffer for all reads: without it, collecting the buffers delays the slowest answers by 3 ms.
    this.#socket = connect({ host, port: Number(port), noDelay: true, onread: { buffer, callback } });
    this.#socket.on('error', () => undefined).on('close', () => handler.onClose());
  }

  send(request: Buffer): void {
    this.#socket.write(request);
  }

  destroy(): void {
    this.#socket.destroy();
  }
}

/** Splits a stream into HTTP/1.1 answers with a Content-Length, which every answer of the server has. */
export class AnswerReader {
  readonly #onAnswer: AnswerHandler['onAnswer'];
  #pending: Buffer | undefined;

  constructor(onAnswer: AnswerHandler['onAnswer']) {
    this.#onAnswer = onAnswer;
  }

  /** @param chunk may be overwritten after the call */
  push(chunk: Buffer): void {
    let rest = this.#pending === undefined ? chunk : Buffer.concat([this.#pending, chunk]);
    this.#pending = undefined;
    while (rest.length > 0) {
      const headEnd = rest.indexOf(END_OF_HEAD);
      const end = headEnd === -1 ? Number.POSITIVE_INFINITY : headEnd + END_OF_HEAD.length + readLength(rest, headEnd);
      if (rest.length < end) {
        this.#pending = rest === chunk || rest.buffer === chunk.buffer ? Buffer.from(rest) : rest;
        return;
      }
      const answer = rest.subarray(0, end);
      rest = rest.subarray(end);
      this.#onAnswer(readDigits(answer, 'HTTP/1.1 '.length), answer);
    }
  }
}

/** The header as the server's engine writes it, or in any case. */
function readLength(answer: Buffer, headEnd: number): number {
  const at = answer.indexOf(LENGTH_HEADER);
  if (at !== -1 && at < headEnd) return readDigits(answer, at + LENGTH_HEADER.length);
  return Number(/\r\ncontent-length: *(\d+)/i.exec(answer.toString('latin1', 0, headEnd))?.[1] ?? 0);
}

function readDigits(bytes: Buffer, start: number): number {
  let number = 0;
  for (let at = start; bytes[at]! >= DIGIT_0 && bytes[at]! <= DIGIT_0 + 9; at++) {
    number = number * 10 + bytes[at]! - DIGIT_0;
  }
  return number;
}
