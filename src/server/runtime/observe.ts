/** Wraps the parts of one server thread with metrics and traces. With both off, nothing is wrapped or loaded. */
import type { Database } from '../../db/types.js';
import type { CryptoPool, PasswordHashing } from '../../workers/wire.js';
import type { LastingConfig } from '../config/settings.js';
import type { MailerOptions } from '../mail/mailer.js';
import type { SmsClient } from '../sms/contract.js';
import type { TextOutboxOptions } from '../sms/text-outbox.js';
import type { EdgeObserver } from '../telemetry/edge.js';
import type { Log } from '../telemetry/log.js';
import type { MetricSnapshot, MetricSources } from '../telemetry/metric-sources.js';
import { inSpan } from '../telemetry/trace-context.js';

export interface Observation {
  /** Undefined with metrics and traces off. */
  readonly observer: EdgeObserver | undefined;
  readonly aroundMail: MailerOptions['around'];
  readonly aroundText: TextOutboxOptions['around'];
  readonly countAuditEvent: ((action: string) => void) | undefined;
  readonly observeHook: ((hook: string, outcome: string, seconds: number) => void) | undefined;
  wrapDatabase(db: Database): Database;
  wrapCrypto(pool: CryptoPool): CryptoPool;
  wrapSms(client: SmsClient): SmsClient;
  /** Empty with metrics off. */
  snapshot(): Promise<readonly MetricSnapshot[]>;
  /** Exports the rest. */
  close(): Promise<void>;
}

/** @param sources called on each scrape, so their parts may be created later */
export async function observeThread(
  config: LastingConfig,
  version: string,
  log: Log,
  sources: Omit<MetricSources, 'version' | 'logFailures'>,
): Promise<Observation> {
  const tracing = config.tracingEnabled
    ? (await import('../telemetry/tracing.js')).openTracing(config, version, log)
    : null;
  const metrics = config.metricsEnabled
    ? (await import('../telemetry/metrics.js')).openThreadMetrics({ ...sources, version, logFailures: log.failures })
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
    aroundText:
      tracing === null ? undefined : (kind, work) => tracing.root('sms.deliver', { 'sms.purpose': kind }, work),
    countAuditEvent: metrics?.countAuditEvent,
    observeHook: metrics?.observeHook,
    wrapDatabase: (db) => (tracing === null ? db : traceDatabase(db)),
    wrapCrypto: (pool) => (tracing === null ? pool : traceCrypto(pool)),
    wrapSms: (client) => (observer === undefined ? client : watchSms(client, metrics?.countSms ?? (() => undefined))),
    snapshot: async () => metrics?.snapshot() ?? [],
    async close() {
      metrics?.close();
      await tracing?.close();
    },
  };
}

/** Statements appear by name, without their parameters. */
function traceDatabase(db: Database): Database {
  const attributes = { 'db.system.name': 'postgresql' };
  return {
    run: (name, values) => inSpan(name, 'client', attributes, () => db.run(name, values)),
    transaction: (work, origin) =>
      inSpan('db.transaction', 'client', attributes, () =>
        db.transaction(
          (tx) => work({ run: (name, values) => inSpan(name, 'client', attributes, () => tx.run(name, values)) }),
          origin,
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
    withHashSlot: (work) => pool.withHashSlot((hashing) => work(traceHashing(hashing))),
    signJwt: (...job) => inSpan('crypto.sign_jwt', 'internal', {}, () => pool.signJwt(...job)),
    hashOneTimeCode: (...parts) =>
      inSpan('crypto.hash_one_time_code', 'internal', {}, () => pool.hashOneTimeCode(...parts)),
    verifyRegistration: (job) =>
      inSpan('crypto.verify_registration', 'internal', {}, () => pool.verifyRegistration(job)),
    verifyAssertion: (job) => inSpan('crypto.verify_assertion', 'internal', {}, () => pool.verifyAssertion(job)),
    verifyProof: (proof) => inSpan('crypto.verify_proof', 'internal', {}, () => pool.verifyProof(proof)),
    verifyClientAssertion: (job) =>
      inSpan('crypto.verify_client_assertion', 'internal', {}, () => pool.verifyClientAssertion(job)),
    verifySamlResponse: (job) =>
      inSpan('crypto.verify_saml_response', 'internal', {}, () => pool.verifySamlResponse(job)),
    examineSamlResponse: (job) =>
      inSpan('crypto.examine_saml_response', 'internal', {}, () => pool.examineSamlResponse(job)),
    verifySamlLogout: (job) => inSpan('crypto.verify_saml_logout', 'internal', {}, () => pool.verifySamlLogout(job)),
    signSaml: (job) => inSpan('crypto.sign_saml', 'internal', {}, () => pool.signSaml(job)),
  };
}

function traceHashing(hashing: PasswordHashing): PasswordHashing {
  return {
    hashPassword: (password) => inSpan('crypto.hash_password', 'internal', {}, () => hashing.hashPassword(password)),
    verifyPassword: (...check) =>
      inSpan('crypto.verify_password', 'internal', {}, () => hashing.verifyPassword(...check)),
  };
}

function watchSms(client: SmsClient, count: (outcome: 'sent' | 'failed') => void): SmsClient {
  async function watch<Sent>(purpose: string, channel: string, send: () => Promise<Sent>): Promise<Sent> {
    try {
      const sent = await inSpan('sms.send', 'internal', { 'sms.purpose': purpose, 'sms.channel': channel }, send);
      count('sent');
      return sent;
    } catch (error) {
      count('failed');
      throw error;
    }
  }
  return {
    ...client,
    send: (purpose, to, channel, code) => watch(purpose, channel, () => client.send(purpose, to, channel, code)),
    deliver: (purpose, message) => watch(purpose, message.channel, () => client.deliver(purpose, message)),
  };
}
