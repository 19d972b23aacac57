import { MessageChannel, type MessagePort } from 'node:worker_threads';

/** A message to the thread; the answers return in the same order. */
export interface ChannelRequest {
  readonly task: string;
  readonly jobs: unknown;
}
export type ChannelAnswer = { readonly value: unknown } | { readonly error: unknown };

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A message channel to one thread of a pool, for work that arrives hundreds of times a second. The pool starts,
 * replaces and ends the thread, which serves the channel as one endless task. A task per batch takes 80 µs more of both
 * threads.
 */
export class ThreadChannel {
  /** In the order of sending. */
  #waiting: Waiting[] = [];
  #port: MessagePort | undefined;
  private readonly serve: (port: MessagePort) => Promise<unknown>;

  /** @param serve passes the port to a thread; settles when that thread has ended */
  constructor(serve: (port: MessagePort) => Promise<unknown>) {
    this.serve = serve;
  }

  /** Unanswered messages. */
  get length(): number {
    return this.#waiting.length;
  }

  /** @throws (rejects) the task's error, or why the thread ended; the next call uses the thread that replaced it */
  send(request: ChannelRequest): Promise<unknown> {
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
    port1.on('message', (answer: ChannelAnswer) => {
      const { resolve, reject } = waiting.shift()!;
      if ('error' in answer) reject(answer.error);
      else resolve(answer.value);
    });
    const end = (reason: unknown): void => {
      if (this.#port === port1) this.#port = undefined;
      port1.close();
      for (const { reject } of waiting.splice(0)) reject(reason);
    };
    this.serve(port2).then(() => end(new Error('The thread no longer serves its channel.')), end);
    return port1;
  }
}

/** The thread's end of a channel. Never settles. */
export function serveChannel(
  port: MessagePort,
  tasks: Readonly<Record<string, (jobs: never) => unknown>>,
): Promise<never> {
  port.on('message', ({ task, jobs }: ChannelRequest) => {
    let answer: ChannelAnswer;
    try {
      answer = { value: tasks[task]!(jobs as never) };
    } catch (error) {
      answer = { error };
    }
    port.postMessage(answer);
  });
  return new Promise(() => undefined);
}
