/**
 * Two parts of autocannon's client that chains of requests do without, on cores that the server needs: its setRequests()
 * puts a changed request together from all options again, which takes 10 µs, and its parser, all JavaScript, reads every
 * header and decodes the body, in which the next token has to be looked for once more. What uses them fails on the first
 * answer should autocannon change: the server knows no `GET /` that answers 2xx.
 */
import type autocannon from 'autocannon';
import { AnswerReader } from './answer-reader.js';

interface Inside {
  getRequestBuffer(): Buffer;
  parser: Parser;
}

/** What is done with the bytes received. The client sets the callbacks, under numbers that the class tells. */
interface Parser {
  execute(chunk: Buffer): void;
  [callback: number]: (head?: object) => void;
  readonly constructor: { readonly kOnHeadersComplete?: number; readonly kOnMessageComplete?: number };
}

/** @param next what is sent next, head included; asked once for each request */
export function giveRequests(client: autocannon.Client, next: () => Buffer): void {
  (client as unknown as Inside).getRequestBuffer = next;
}

/**
 * To be called in `setupClient`.
 * @param onAnswer gets each answer, head included, before `response` is emitted; headers and body are not
 */
export function takeAnswers(client: autocannon.Client, onAnswer: (answer: Buffer) => void): void {
  const inside = client as unknown as Inside;
  const { kOnHeadersComplete, kOnMessageComplete } = inside.parser.constructor;
  if (kOnHeadersComplete === undefined || kOnMessageComplete === undefined) {
    throw new Error("autocannon's parser is not the one this was written for.");
  }
  const reader = new AnswerReader((statusCode, answer) => {
    onAnswer(answer);
    parser[kOnHeadersComplete]!({ statusCode, headers: [] });
    parser[kOnMessageComplete]!();
  });
  const parser: Parser = { execute: (chunk) => reader.push(chunk), constructor: {} };
  inside.parser = parser;
}
