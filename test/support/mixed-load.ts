/** The usual mix of requests: refresh, read, sign in and out, sign up. */
import { setTimeout as pause } from 'node:timers/promises';
import { keepConnection } from './keep-alive.js';
import { freshEmail } from './server.js';

export interface MixedLoad {
  /** Successful responses so far. */
  count(): number;
  /** Failed requests. */
  readonly faults: string[];
  /** Lets all clients finish their current request. */
  stop(): Promise<void>;
}

const password = 'correct horse battery';
const TICK_MS = 5;
/** A client that fell behind does not catch up. */
const MOST_OWED = 20;
const [MOST_TRIES, RETRY_MS] = [20, 200];

/**
 * @param clients how many at once, each on a connection of its own
 * @param requestsPerSecond of all clients; absent: as fast as responses arrive
 */
export async function startMixedLoad(port: number, clients: number, requestsPerSecond?: number): Promise<MixedLoad> {
  const faults: string[] = [];
  let [good, isOver, owed] = [0, false, 0];
  const waiting: (() => void)[] = [];
  const release = (): void => {
    for (; owed >= 1 && waiting.length > 0; owed--) waiting.shift()!();
    owed = Math.min(owed, MOST_OWED);
  };
  let lastMs = performance.now();
  const ticks =
    requestsPerSecond === undefined
      ? undefined
      : setInterval(() => {
          const nowMs = performance.now();
          owed += ((nowMs - lastMs) * requestsPerSecond) / 1000;
          lastMs = nowMs;
          release();
        }, TICK_MS);
  const turn = (): Promise<void> | undefined =>
    ticks === undefined || isOver ? undefined : new Promise((resolve) => waiting.push(resolve));

  const lanes = Array.from({ length: clients }, async (_, lane) => {
    const connection = await keepConnection(port);
    const ask = async (method: string, path: string, body?: unknown, bearer?: string) => {
      await turn();
      let answer = await connection.send(method, path, body, bearer);
      // A busy machine refuses now and then, and clients ask again.
      for (let tries = 1; answer.status === 503 && tries < MOST_TRIES; tries++) {
        await pause(RETRY_MS);
        answer = await connection.send(method, path, body, bearer);
      }
      if (answer.status < 300) good += 1;
      else faults.push(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body ?? {};
    };
    try {
      const email = freshEmail();
      let session = await ask('POST', '/signup', { email, password });
      for (let step = lane; !isOver; step++) {
        if (step % 50 === 0) await ask('POST', '/signup', { email: freshEmail(), password });
        else if (step % 20 === 0) {
          await ask('POST', '/logout?scope=local', undefined, session.access_token);
          session = await ask('POST', '/token?grant_type=password', { email, password });
        } else if (step % 3 === 0) await ask('GET', '/user', undefined, session.access_token);
        else session = await ask('POST', '/token?grant_type=refresh_token', { refresh_token: session.refresh_token });
      }
    } finally {
      connection.close();
    }
  });
  const all = Promise.all(lanes);
  all.catch(() => undefined);
  return {
    count: () => good,
    faults,
    async stop() {
      isOver = true;
      clearInterval(ticks);
      for (const go of waiting.splice(0)) go();
      await all;
    },
  };
}
