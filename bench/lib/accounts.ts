/** Users for the load: made and signed in over HTTP, so that any version of the schema will do. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Account, PASSWORD, requestFor } from './traffic.js';

const AT_ONCE = 4;
/** On a machine that is busy with other things, hashing may be so slow that the server sheds even these few. */
const MOST_TRIES = 20;

/** Signs up `count` users. @throws on an answer other than 2xx */
export function makeAccounts(url: string, count: number): Promise<Account[]> {
  const emails = Array.from({ length: count }, () => `${randomUUID()}@example.com`);
  return inTurns(emails, (email) => openSession(`${url}/signup`, email));
}

/**
 * Opens a new session for each: the one of an earlier round may have lost its last answer when the load stopped, and a
 * token that comes again later than the reuse interval ends its session.
 */
export function signInAgain(url: string, accounts: readonly Account[]): Promise<Account[]> {
  return inTurns(accounts, ({ email }) => openSession(`${url}/token?grant_type=password`, email));
}

/** Refreshes each session once and reads its user. @throws on an answer other than 2xx */
export async function useSessions(url: string, accounts: readonly Account[]): Promise<void> {
  await inTurns(accounts, async (account) => {
    for (const traffic of ['refresh', 'user'] as const) {
      const { path, ...request } = requestFor(traffic, account, '');
      await readGood(await fetch(url + path, request));
    }
  });
}

async function openSession(url: string, email: string, tries = 1): Promise<Account> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  if (response.status === 503 && tries < MOST_TRIES) {
    await response.text();
    await pause(Number(response.headers.get('retry-after') ?? 1) * 1000);
    return openSession(url, email, tries + 1);
  }
  const { access_token, refresh_token } = JSON.parse(await readGood(response)) as Record<string, string>;
  return { email, accessToken: access_token!, refreshToken: refresh_token! };
}

/** @returns the body @throws when the answer is not a 2xx */
async function readGood(response: Response): Promise<string> {
  const text = await response.text();
  if (response.ok) return text;
  throw new Error(`${new URL(response.url).pathname} answered ${response.status}: ${text.slice(0, 300)}`);
}

async function inTurns<Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results = new Array<Result>(items.length);
  const queue = items.entries();
  const worker = async () => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}
