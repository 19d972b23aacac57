/**
 * Tells clients of the end of their sessions. A trigger writes what waits, in the transaction that ends the session
 * (docs/decisions.md, Back-channel logout); threads and instances share the work.
 */
import { SchemaNotReadyError } from '../../db/errors.js';
import { type ClaimedLogout, claimLogouts, finishLogout, isLogoutDue, putBackLogout } from '../../db/oauth-logouts.js';
import type { App } from '../runtime/app.js';
import { CALL_SECONDS, postLogoutToken, renderLogoutToken } from './logout-token.js';

export interface LogoutTiming {
  /**
   * Between two looks, also while no client wants logout tokens: the first one may ask another instance, and what ends its sessions
   * must reach it within two seconds. A notification would not get through a pooler (docs/decisions.md, Back-channel logout).
   */
  readonly pollSeconds: number;
  /** After the database could not be read. */
  readonly failedPollSeconds: number;
  /** After each failed attempt but the last. */
  readonly retrySeconds: readonly number[];
}

export interface LogoutSender {
  /** Finishes the attempts that run and begins no others. */
  retire(): Promise<void>;
}

const defaults: LogoutTiming = { pollSeconds: 1, failedPollSeconds: 5, retrySeconds: [10, 60] };
/** A client that does not answer takes two of the places, each for a few seconds. */
const limits = { all: 32, ofClient: 2, leaseSeconds: 3 * CALL_SECONDS };

export type LogoutParts = Pick<App, 'config' | 'db' | 'log' | 'crypto' | 'tokenKeys' | 'oauthCounts'>;

export function startLogoutSender(parts: LogoutParts, timing: Partial<LogoutTiming> = {}): LogoutSender {
  const { db, log, oauthCounts } = parts;
  const { pollSeconds, failedPollSeconds, retrySeconds } = { ...defaults, ...timing };
  const running = new Map<Promise<void>, string>();
  let isRetired = false;
  let isUnreachable = false;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;

  function sleep(seconds: number): void {
    if (isRetired) return;
    clearTimeout(timer);
    // Up to a fifth more, so that instances do not look in step.
    timer = setTimeout(wake, seconds * (1 + Math.random() / 5) * 1000).unref();
  }

  function wake(): void {
    looking ??= look().finally(() => {
      looking = undefined;
    });
  }

  async function look(): Promise<void> {
    try {
      if ((await isLogoutDue(db)) && !isRetired) await takeDue();
      isUnreachable = false;
      sleep(pollSeconds);
    } catch (error) {
      if (!isUnreachable && !(error instanceof SchemaNotReadyError) && !isRetired) {
        log.warn(
          { component: 'oauth', error: nameOf(error) },
          'Logout tokens cannot be read: they wait in the database',
        );
      }
      isUnreachable = true;
      sleep(failedPollSeconds);
    }
  }

  async function takeDue(): Promise<void> {
    const free = limits.all - running.size;
    if (free <= 0) return;
    const busy = [...new Set(running.values())];
    for (const logout of await claimLogouts(db, { ...limits, all: free }, busy)) {
      const attempt = send(logout)
        // The claim expires, and the attempt is repeated.
        .catch((error: unknown) =>
          log.warn({ ...aboutOf(logout), error: nameOf(error) }, 'A logout token was not settled'),
        )
        .then(() => {
          running.delete(attempt);
          // More may wait for the place.
          sleep(0);
        });
      running.set(attempt, logout.client.id);
    }
  }

  async function send(logout: ClaimedLogout): Promise<void> {
    const { client, attempts } = logout;
    if (client.backchannel_logout_uri === null || client.deleted_at !== null) return finishLogout(db, logout);
    const error = await tell(logout);
    if (error === null) {
      oauthCounts.countLogout('delivered');
      return finishLogout(db, logout);
    }
    const delay = retrySeconds[attempts - 1];
    const facts = { ...aboutOf(logout), attempt: attempts, error };
    if (delay === undefined) {
      oauthCounts.countLogout('given_up');
      log.error(facts, 'A client did not accept a logout token, which is given up');
      return finishLogout(db, logout);
    }
    oauthCounts.countLogout('retried');
    log.warn({ ...facts, retry_in_seconds: delay }, 'A client did not accept a logout token, which is sent again');
    await putBackLogout(db, logout, delay);
  }

  /** @returns what went wrong; null: nothing */
  async function tell(logout: ClaimedLogout): Promise<string | null> {
    const { config, crypto, tokenKeys } = parts;
    // As with ID tokens: the client could not verify it.
    if (tokenKeys.accepted(Date.now()).signing.alg === 'HS256') return 'There is no key that the client can verify';
    const token = await crypto.signJwt(renderLogoutToken(config, logout, Math.floor(Date.now() / 1000)), 'logout+jwt');
    return postLogoutToken(config, logout, token);
  }

  wake();
  return {
    async retire() {
      isRetired = true;
      clearTimeout(timer);
      await looking;
      await Promise.all(running.keys());
    },
  };
}

const aboutOf = ({ id, client }: ClaimedLogout) => ({
  component: 'oauth',
  logout_id: id,
  client_id: client.id,
  target: URL.canParse(client.backchannel_logout_uri ?? '') ? new URL(client.backchannel_logout_uri!).host : '',
});

const nameOf = (error: unknown): string =>
  error instanceof Error ? ((error as { code?: string }).code ?? error.name) : 'unknown';
