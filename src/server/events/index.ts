/** Events: recorded by triggers, delivered to endpoints and subscribers (docs/decisions.md, Events). */
import { isDeepStrictEqual } from 'node:util';
import {
  appendEvent,
  type ConsumerInput,
  type EndpointRow,
  renewRecording,
  type StoredEvent,
} from '../../db/events.js';
import { type ChangeOrigin, withOrigin } from '../../db/origin.js';
import type { Database, Statements } from '../../db/types.js';
import { type EventType, matchesEvent } from '../config/event-types.js';
import type { Config, LastingConfig } from '../config/settings.js';
import { apiError } from '../errors.js';
import { prepareSigning } from '../hooks/signature.js';
import type { ServerSecrets } from '../sealing/key-ring.js';
import type { Log } from '../telemetry/log.js';
import { announceConsumers, retryRenewal } from './announce.js';
import { type Arrivals, openArrivals } from './arrivals.js';
import {
  type Attempt,
  defaultTiming,
  type EventStats,
  type EventSubscriber,
  type EventTiming,
  type Outcome,
} from './contract.js';
import { startDispatcher } from './dispatcher.js';
import { openSecretSealer, type SecretSealer } from './secrets.js';
import { postWebhook, type UserView } from './webhook.js';

export interface EventsOptions {
  readonly config: LastingConfig;
  /** Whose schema is checked. */
  readonly db: Database;
  readonly log: Log;
  readonly subscribers: readonly EventSubscriber[];
  readonly viewUser: UserView;
  readonly timing?: Partial<EventTiming> | undefined;
}

export interface Events {
  /** The database for everything else: its statements wait until the configuration's consumers are known to it. */
  readonly db: Database;
  /** Something is recorded. */
  isOn(): boolean;
  /** Records an event that no change of a table causes, if a consumer wants it. */
  record(type: EventType, userId: string | null, details: Readonly<Record<string, unknown>>): Promise<void>;
  /** Records sign_in.failed if a consumer wants it: no more than ten a second. Never throws, and the caller does not wait. */
  recordFailedSignIn(userId: string | null, method: string, origin: ChangeOrigin): void;
  /**
   * Changes endpoints: the recording follows in the same transaction.
   * @throws a lock time-out (55P03) when writers keep the tables busy
   */
  changeEndpoints<Result>(work: (statements: Statements) => Promise<Result>): Promise<Result>;
  /** For secrets of endpoints. */
  sealer(): SecretSealer;
  /** Posts an event that is not stored. @throws ApiError unexpectedFailure */
  send(endpoint: Omit<EndpointRow, 'is_due'>, event: StoredEvent): Promise<Outcome>;
  readonly leaseSeconds: number;
  /** An event may have been written. */
  nudge(): void;
  /** Resolves when there is an event after a position, or after a time (arrivals.ts). */
  readonly waitForEvent: Arrivals['wait'];
  /** The server stops: whoever waits for events gets an answer. */
  releaseWaiters(): void;
  stats(): EventStats;
  /** Takes what a reload changes. */
  use(config: Pick<Config, 'outboundPrivateHosts'> & ServerSecrets): void;
  close(timeoutSeconds: number): Promise<void>;
}

export function startEvents({ config, db, log, subscribers, viewUser, timing }: EventsOptions): Events {
  let consumers = consumersOf(config, subscribers);
  const announcer = announceConsumers(db, consumers, log);
  const configured = prepareSigning(config.webhooksSecrets ?? []);
  let hosts: readonly string[] = [];
  const privateHosts = () => hosts;
  let sealer: SecretSealer | undefined;

  function attemptFor(endpoint: EndpointRow): { target: string; attempt: Attempt } | null {
    const subscriber = subscribers.find(({ name }) => name === endpoint.name);
    if (subscriber?.isOn?.() === false) return null;
    if (subscriber !== undefined) return { target: subscriber.name, attempt: callSubscriber(subscriber) };
    const { id, name, include } = endpoint;
    const url = name === ENVIRONMENT ? config.webhooksUrl : name === null ? endpoint.url : '';
    if (url === '' || url === null || sealer === undefined) return null;
    const sealed = endpoint.sealed_secrets;
    const signing = sealed === null ? () => configured : () => sealer!.openSigning(id, sealed);
    return { target: new URL(url).host, attempt: postWebhook(db, { url, include, viewUser, signing, privateHosts }) };
  }

  const all = { ...defaultTiming, ...timing };
  const channel = `${config.dbNamespace === '' ? 'latchkey' : config.dbNamespace}_events`;
  const look = () => dispatcher.nudge();
  const arrivals = openArrivals({ databaseUrl: config.databaseUrl, channel, log, look });
  const dispatcher = startDispatcher({
    db: announcer.db,
    log,
    attemptFor,
    timing: all,
    channel,
    onPosition: arrivals.note,
  });
  async function record(
    type: EventType,
    userId: string | null,
    details: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    if (!matchesEvent(dispatcher.recorded(), type)) return;
    await appendEvent(db, type, userId, details);
    dispatcher.nudge();
  }
  const mayRecordFailure = limitPerSecond(FAILURES_PER_SECOND);
  return {
    db: announcer.db,
    isOn: () => consumers.length > 0 || dispatcher.recorded().length > 0,
    record,
    recordFailedSignIn(userId, method, origin) {
      if (!matchesEvent(dispatcher.recorded(), 'sign_in.failed') || !mayRecordFailure()) return;
      withOrigin(origin, () => record('sign_in.failed', userId, { method })).catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : 'unknown';
        log.warn({ component: 'events', reason }, 'A failed sign-in was not recorded as an event');
      });
    },
    async changeEndpoints(work) {
      const result = await retryRenewal(() =>
        announcer.db.transaction(async (statements) => {
          const result = await work(statements);
          await renewRecording(statements);
          return result;
        }),
      );
      dispatcher.nudge();
      return result;
    },
    sealer: () => sealer!,
    async send(endpoint, event) {
      const found = attemptFor({ ...endpoint, is_due: false });
      if (found === null) throw apiError('unexpectedFailure');
      return found.attempt(event);
    },
    leaseSeconds: all.leaseSeconds,
    nudge: dispatcher.nudge,
    waitForEvent: arrivals.wait,
    releaseWaiters: arrivals.release,
    stats: dispatcher.stats,
    use(next) {
      hosts = next.outboundPrivateHosts;
      sealer = openSecretSealer(next);
      const wanted = consumersOf(config, subscribers);
      if (!isDeepStrictEqual(wanted, consumers)) {
        consumers = wanted;
        announcer.use(wanted);
        dispatcher.renew();
      }
      dispatcher.nudge();
    },
    async close(timeoutSeconds) {
      announcer.close();
      await arrivals.close();
      await dispatcher.close(timeoutSeconds);
    },
  };
}

/** A guesser must not fill the table of events. Every failure is in the access log and the metrics. */
const FAILURES_PER_SECOND = 10;

function limitPerSecond(limit: number): () => boolean {
  let second = 0;
  let count = 0;
  return () => {
    const now = Math.floor(performance.now() / 1000);
    count = now === second ? count + 1 : 1;
    second = now;
    return count <= limit;
  };
}

/** Name of the endpoint that AUTH_WEBHOOKS_URL describes. */
export const ENVIRONMENT = 'environment';

function consumersOf(config: LastingConfig, subscribers: readonly EventSubscriber[]): ConsumerInput[] {
  const { webhooksUrl: url, webhooksEvents: wanted, webhooksInclude: include } = config;
  const events = wanted.length > 0 || url === '' ? wanted : ['*'];
  return [
    ...(events.length === 0 ? [] : [{ name: ENVIRONMENT, url: url === '' ? null : url, events, include }]),
    ...subscribers
      .filter(({ isOn }) => isOn?.() !== false)
      .map(({ name, types }) => ({ name, url: null, events: types, include: [] })),
  ];
}

const callSubscriber =
  (subscriber: EventSubscriber): Attempt =>
  async (event) => {
    try {
      await subscriber.handle(event);
      return { isDelivered: true, status: null };
    } catch (error) {
      return { isDelivered: false, status: null, error: error instanceof Error ? error.message : 'It failed' };
    }
  };
