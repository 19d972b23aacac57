const END_OF_HEAD = '\r\n\r\n';

/** Cuts a stream of HTTP/1.1 answers that carry a Content-Length, which every answer of the server does. */
export class AnswerReader {
  #pending: Buffer = Buffer.alloc(0);

  /** @param onAnswer gets the status and the whole answer, head included */
  constructor(private readonly onAnswer: (status: number, answer: Buffer) => void) {}

  push(chunk: Buffer): void {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    for (;;) {
      const headEnd = this.#pending.indexOf(END_OF_HEAD);
      if (headEnd === -1) return;
      const head = this.#pending.toString('latin1', 0, headEnd);
      const status = Number(head.slice(9, 12));
      const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
      const end = headEnd + END_OF_HEAD.length + length;
      if (this.#pending.length < end) return;
      const answer = this.#pending.subarray(0, end);
      this.#pending = this.#pending.subarray(end);
      this.onAnswer(status, answer);
    }
  }
}
