import { MessageChannel, type MessagePort } from 'node:worker_threads';

/** What goes to the thread, and what comes back in the same order. */
export interface LineRequest {
  readonly task: string;
  readonly jobs: unknown;
}
export type LineAnswer = { readonly value: unknown } | { readonly error: unknown };

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A line of messages to one thread of a pool, for work that comes hundreds of times a second. The pool starts, replaces
 * and ends the thread, which serves the line as one task that lasts; handing over each batch as a task of its own takes
 * some 80 µs more of the two threads than a message does.
 */
export class MessageLine {
  /** In the order they were sent. */
  #waiting: Waiting[] = [];
  #port: MessagePort | undefined;

  /** @param serve has a thread take the other end; settles when that thread has ended */
  constructor(private readonly serve: (port: MessagePort) => Promise<unknown>) {}

  /** Not answered yet. */
  get length(): number {
    return this.#waiting.length;
  }

  /** @throws (rejects) what the work threw, or why the thread ended; the next call finds the thread that replaced it */
  send(request: LineRequest): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#port ??= this.#open();
      this.#port.postMessage(request);
      this.#waiting.push({ resolve, reject });
    });
  }

  #open(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    const waiting: Waiting[] = [];
    this.#waiting = waiting;
    port1.on('message', (answer: LineAnswer) => {
      const { resolve, reject } = waiting.shift()!;
      if ('error' in answer) reject(answer.error);
      else resolve(answer.value);
    });
    const end = (reason: unknown): void => {
      if (this.#port === port1) this.#port = undefined;
      port1.close();
      for (const { reject } of waiting.splice(0)) reject(reason);
    };
    this.serve(port2).then(() => end(new Error('The thread no longer serves its line.')), end);
    return port1;
  }
}

/** The thread's end of a line. Never settles: the line lasts as long as the thread. */
export function serveLine(
  port: MessagePort,
  tasks: Readonly<Record<string, (jobs: never) => unknown>>,
): Promise<never> {
  port.on('message', ({ task, jobs }: LineRequest) => {
    let answer: LineAnswer;
    try {
      answer = { value: tasks[task]!(jobs as never) };
    } catch (error) {
      answer = { error };
    }
    port.postMessage(answer);
  });
  return new Promise(() => undefined);
}
