/** LISTEN on a connection of its own, which is opened again whenever it is lost. */
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { Connection, clientConfig } from './connection.js';
import type { DatabaseLog } from './types.js';

export interface ListenOptions {
  readonly url: string;
  readonly channel: string;
  /** Called on every notification, and whenever a connection listens again: something may have been missed. */
  readonly onNotice: (payload: string) => void;
  readonly log: DatabaseLog;
}

export interface Listener {
  /** Whether the connection listens; behind a pooler in transaction mode it may still hear nothing. */
  readonly isListening: boolean;
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 5000;
/** Doubled at each failure. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [250, 15_000];

/** Starts to listen. Never throws: without a database it tries again. */
export function listenTo({ url, channel, onNotice, log }: ListenOptions): Listener {
  const closing = new AbortController();
  let current: pg.Client | null = null;
  let isListening = false;

  async function keepListening(): Promise<void> {
    let delayMs = FIRST_PAUSE_MS;
    while (!closing.signal.aborted) {
      try {
        await listenOnce(() => {
          delayMs = FIRST_PAUSE_MS;
        });
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        if (!closing.signal.aborted) log.debug({ channel, reason }, 'LISTEN failed and is tried again');
      }
      isListening = false;
      await pause(delayMs * (1 + Math.random() / 5), undefined, { signal: closing.signal, ref: false }).catch(() => {});
      delayMs = Math.min(delayMs * 2, LONGEST_PAUSE_MS);
    }
  }

  /** Resolves when the connection ends. */
  async function listenOnce(onReady: () => void): Promise<void> {
    const options = { url, connectTimeoutMs: CONNECT_TIMEOUT_MS, statementTimeoutMs: 0, sendsTimeouts: false };
    const client = new Connection(clientConfig(options));
    current = client;
    const ended = new Promise<void>((resolve) => client.once('end', resolve));
    // Without a listener the error of a lost connection ends the process; `end` follows.
    client.on('error', () => undefined);
    client.on('notification', ({ payload = '' }) => onNotice(payload));
    try {
      await client.connect();
      await client.query(`listen ${client.escapeIdentifier(channel)}`);
      isListening = true;
      onReady();
      onNotice('');
      await ended;
    } finally {
      current = null;
      await client.end().catch(() => undefined);
    }
  }

  const running = keepListening();
  return {
    get isListening() {
      return isListening;
    },
    async close() {
      closing.abort();
      await current?.end().catch(() => undefined);
      await running;
    },
  };
}
