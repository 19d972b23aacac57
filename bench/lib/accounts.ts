/** Users for the load, signed up and signed in over HTTP. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Account, PASSWORD } from './requests.js';

const AT_ONCE = 4;
/** On a busy machine hashing may be so slow that the server answers 503 even to these few. */
const MOST_TRIES = 20;

/** @throws on an answer that is not 2xx */
export function signUp(url: string, count: number): Promise<Account[]> {
  return openSessions(
    `${url}/signup`,
    Array.from({ length: count }, () => `${randomUUID()}@example.com`),
  );
}

/**
 * Opens a new session for each account. The load of an earlier round may have ended before its last answers, and a token
 * that is used again after the reuse interval ends its session.
 */
export function signInAgain(url: string, accounts: readonly Account[]): Promise<Account[]> {
  return openSessions(
    `${url}/token?grant_type=password`,
    accounts.map(({ email }) => email),
  );
}

async function openSessions(url: string, emails: readonly string[]): Promise<Account[]> {
  const accounts: Account[] = [];
  const queue = emails.entries();
  const work = async () => {
    for (const [index, email] of queue) accounts[index] = await openSession(url, email);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return accounts;
}

async function openSession(url: string, email: string, tries = 1): Promise<Account> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  const text = await response.text();
  if (response.status === 503 && tries < MOST_TRIES) {
    await pause(Number(response.headers.get('retry-after') ?? 1) * 1000);
    return openSession(url, email, tries + 1);
  }
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text.slice(0, 300)}`);
  const { access_token, refresh_token } = JSON.parse(text) as Record<string, string>;
  return { email, accessToken: access_token!, refreshToken: refresh_token! };
}
