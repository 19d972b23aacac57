/** Metrics and traces of one server thread, put around its parts. While both are off nothing is wrapped or loaded. */
import type { Database } from '../db/types.js';
import type { CryptoPool, PasswordHashing } from '../workers/wire.js';
import type { Config } from './config/settings.js';
import type { EdgeObserver } from './http/options.js';
import type { MailRoomOptions } from './mail/room.js';
import type { SmsSender } from './sms/contract.js';
import type { Log } from './telemetry/log.js';
import type { MetricSnapshot, MetricSources } from './telemetry/metric-sources.js';
import { inSpan } from './telemetry/trace-context.js';

export interface Observation {
  /** Undefined while metrics and traces are off. */
  readonly observer: EdgeObserver | undefined;
  readonly aroundMail: MailRoomOptions['around'];
  readonly countDeed: ((action: string) => void) | undefined;
  ofDatabase(db: Database): Database;
  ofCrypto(pool: CryptoPool): CryptoPool;
  ofSms(sender: SmsSender): SmsSender;
  /** Empty while metrics are off. */
  snapshot(): Promise<readonly MetricSnapshot[]>;
  /** Sends what is left. */
  close(): Promise<void>;
}

/** @param sources read when somebody asks, so what they read may be opened later */
export async function observeThread(
  config: Config,
  version: string,
  log: Log,
  sources: Omit<MetricSources, 'version' | 'logFailures'>,
): Promise<Observation> {
  const tracing = config.tracingEnabled
    ? (await import('./telemetry/tracing.js')).openTracing(config, version, log)
    : null;
  const metrics = config.metricsEnabled
    ? (await import('./telemetry/metrics.js')).openThreadMetrics({ ...sources, version, logFailures: log.failures })
    : null;
  const observer: EdgeObserver | undefined =
    tracing === null && metrics === null
      ? undefined
      : {
          ...(tracing === null ? {} : { begin: tracing.observer.begin }),
          end(entry, watch) {
            metrics?.observeRequest(entry);
            tracing?.observer.end(entry, watch);
          },
        };
  return {
    observer,
    aroundMail: tracing === null ? undefined : (kind, work) => tracing.root('mail.send', { 'mail.kind': kind }, work),
    countDeed: metrics?.countDeed,
    ofDatabase: (db) => (tracing === null ? db : traceDatabase(db)),
    ofCrypto: (pool) => (tracing === null ? pool : traceCrypto(pool)),
    ofSms: (sender) => (observer === undefined ? sender : watchSms(sender, metrics?.countSms ?? (() => undefined))),
    snapshot: async () => metrics?.snapshot() ?? [],
    async close() {
      metrics?.close();
      await tracing?.close();
    },
  };
}

/** Statements appear under their name; what is bound to them never does. */
function traceDatabase(db: Database): Database {
  const attributes = { 'db.system.name': 'postgresql' };
  return {
    run: (name, values) => inSpan(name, 'client', attributes, () => db.run(name, values)),
    transaction: (work) =>
      inSpan('db.transaction', 'client', attributes, () =>
        db.transaction((tx) =>
          work({ run: (name, values) => inSpan(name, 'client', attributes, () => tx.run(name, values)) }),
        ),
      ),
    isReady: () => db.isReady(),
    stats: () => db.stats(),
    close: () => db.close(),
  };
}

function traceCrypto(pool: CryptoPool): CryptoPool {
  return {
    ...pool,
    ...traceHashing(pool),
    withHashPlace: (work) => pool.withHashPlace((hashing) => work(traceHashing(hashing))),
    signJwt: (payload) => inSpan('crypto.sign_jwt', 'internal', {}, () => pool.signJwt(payload)),
    hashOneTimeCode: (...parts) =>
      inSpan('crypto.hash_one_time_code', 'internal', {}, () => pool.hashOneTimeCode(...parts)),
  };
}

function traceHashing(hashing: PasswordHashing): PasswordHashing {
  return {
    hashPassword: (password) => inSpan('crypto.hash_password', 'internal', {}, () => hashing.hashPassword(password)),
    verifyPassword: (...check) =>
      inSpan('crypto.verify_password', 'internal', {}, () => hashing.verifyPassword(...check)),
  };
}

function watchSms(sender: SmsSender, count: (outcome: 'sent' | 'failed') => void): SmsSender {
  return {
    ...sender,
    async send(purpose, to, channel, code) {
      try {
        const attributes = { 'sms.purpose': purpose, 'sms.channel': channel };
        const sent = await inSpan('sms.send', 'internal', attributes, () => sender.send(purpose, to, channel, code));
        count('sent');
        return sent;
      } catch (error) {
        count('failed');
        throw error;
      }
    },
  };
}
