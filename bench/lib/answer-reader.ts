const END_OF_HEAD = '\r\n\r\n';
const LENGTH_HEADER = '\r\nContent-Length: ';
const DIGIT_0 = 0x30;

/** Cuts a stream of HTTP/1.1 answers that carry a Content-Length, which every answer of the server does. */
export class AnswerReader {
  #pending: Buffer | undefined;

  /** @param onAnswer gets the status and the whole answer, head included */
  constructor(private readonly onAnswer: (status: number, answer: Buffer) => void) {}

  push(chunk: Buffer): void {
    let rest = this.#pending === undefined ? chunk : Buffer.concat([this.#pending, chunk]);
    this.#pending = undefined;
    while (rest.length > 0) {
      const headEnd = rest.indexOf(END_OF_HEAD);
      const end = headEnd === -1 ? Number.POSITIVE_INFINITY : headEnd + END_OF_HEAD.length + readLength(rest, headEnd);
      if (rest.length < end) {
        this.#pending = rest;
        return;
      }
      const answer = rest.length === end ? rest : rest.subarray(0, end);
      rest = rest.subarray(end);
      this.onAnswer(readDigits(answer, 'HTTP/1.1 '.length), answer);
    }
  }
}

/** As the server's engine writes the header, or in any case. */
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
