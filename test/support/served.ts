import { setTimeout as pause } from 'node:timers/promises';
import type { Answer } from './server.js';

/**
 * Sends a request again while the hash threads or connections of a busy machine have no room for it: it did nothing then.
 * For bursts in tests that are not about that limit.
 */
export async function untilServed(send: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await send();
    if (answer.status !== 503) return answer;
    await pause(50);
  }
}
