/** Reloads the configuration of all server threads: every thread prepares its parts, then all use them, or none does. */
import type { FromThread, ReloadStep, ToThread } from './thread.js';

/** The part of Worker used here. */
export interface ReloadingThread {
  postMessage(message: ToThread): void;
  on(event: 'message' | 'exit', listener: (message: FromThread) => void): unknown;
  off(event: 'message' | 'exit', listener: (message: FromThread) => void): unknown;
}

/** A thread that is busy for longer counts as one that cannot prepare. */
const ANSWER_SECONDS = 10;

let askId = 0;

/**
 * @param onPrepared called before the first thread uses the configuration; threads started from then on begin with it
 * @throws Error when a thread cannot prepare; then every thread keeps what it had
 */
export async function reloadThreads(
  threads: readonly ReloadingThread[],
  step: Extract<ReloadStep, { type: 'prepare' }>,
  onPrepared: () => void,
): Promise<void> {
  const errors = await Promise.all(threads.map((thread) => ask(thread, step)));
  const error = errors.find((found) => found !== null);
  if (error !== undefined) {
    await Promise.all(threads.map((thread) => ask(thread, { type: 'abandon' })));
    throw new Error(error!);
  }
  onPrepared();
  await Promise.all(threads.map((thread) => ask(thread, { type: 'commit' })));
  await Promise.all(threads.map((thread) => ask(thread, { type: 'finish' })));
}

/** @returns null when it is done or the thread has ended, else what went wrong */
function ask(thread: ReloadingThread, step: ReloadStep): Promise<string | null> {
  askId += 1;
  const mine = askId;
  return new Promise((resolve) => {
    const listen = (message: FromThread): void => {
      if (message.type === 'stepped' && message.askId === mine) finish(message.error);
    };
    const leave = (): void => finish(null);
    const finish = (error: string | null): void => {
      clearTimeout(timer);
      thread.off('message', listen);
      thread.off('exit', leave);
      resolve(error);
    };
    const timer = setTimeout(
      () => finish(`A server thread did not answer within ${ANSWER_SECONDS} s`),
      ANSWER_SECONDS * 1000,
    );
    thread.on('message', listen);
    thread.on('exit', leave);
    thread.postMessage({ askId: mine, ...step });
  });
}
