/** Sessions that are refreshed all the time, each token after the one before, while something happens to the cluster. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Answer, TestServer } from '../server.js';
import { freshEmail, password } from '../server.js';

export interface LoadedSession {
  readonly email: string;
  readonly id: string;
  /** Of the last answer: what was acknowledged. */
  refreshToken: string;
  accessToken: string;
  /** Answers, in their order: the status, and when. */
  readonly answers: { readonly status: number; readonly atMs: number }[];
}

/** Of an access token. */
const sessionOf = (token: string): string =>
  (JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { session_id: string }).session_id;

export function adopt(session: LoadedSession, { status, body }: Answer): void {
  session.answers.push({ status, atMs: performance.now() });
  if (status !== 200) return;
  session.refreshToken = body.refresh_token;
  session.accessToken = body.access_token;
}

export async function openSessions({ post }: TestServer, count: number): Promise<LoadedSession[]> {
  const sessions: LoadedSession[] = [];
  for (let i = 0; i < count; i++) {
    const email = freshEmail();
    const { body } = await post('/signup', { email, password });
    const { access_token: accessToken, refresh_token: refreshToken } = body;
    sessions.push({ email, id: sessionOf(accessToken), accessToken, refreshToken, answers: [] });
  }
  return sessions;
}

export const refresh = async ({ post }: TestServer, session: LoadedSession): Promise<Answer> => {
  const answer = await post('/token?grant_type=refresh_token', { refresh_token: session.refreshToken });
  adopt(session, answer);
  return answer;
};

/** @returns how many answers there were a second between two times of performance.now() */
export function rateBetween(sessions: readonly LoadedSession[], fromMs: number, toMs: number): number {
  const count = sessions.flatMap(({ answers }) => answers.filter(({ atMs }) => atMs >= fromMs && atMs < toMs)).length;
  return (count * 1000) / (toMs - fromMs);
}

/** Refreshes all sessions until `work` has ended. @returns how many answers there were a second */
export async function underLoad(
  server: TestServer,
  sessions: readonly LoadedSession[],
  work: () => Promise<unknown>,
): Promise<number> {
  let isOver = false;
  const startMs = performance.now();
  const loops = sessions.map(async (session) => {
    while (!isOver) {
      const { status } = await refresh(server, session);
      // A client waits before it tries again.
      if (status !== 200) await pause(50);
    }
  });
  try {
    await work();
  } finally {
    isOver = true;
    await Promise.all(loops);
  }
  return rateBetween(sessions, startMs, performance.now());
}
