/** What traces and pushed metrics have in common: who we are, where the collector is, and how its troubles are told. */
import { DiagLogLevel, diag } from '@opentelemetry/api';
import { defaultResource, type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import type { Log } from './log.js';
import { describeService, parsePairs, type ServiceSettings } from './service.js';

export interface CollectorSettings extends ServiceSettings {
  readonly otelExporterOtlpProtocol: string;
  readonly otelExporterOtlpEndpoint: string;
  readonly otelExporterOtlpHeaders: string;
  readonly debug: boolean;
}

/** Said again after so long, if it still does not work. */
const WARN_EVERY_MS = 300_000;
/** An export that takes longer is given up. What still runs at the end keeps the process so long (REL-15). */
const EXPORT_TIMEOUT_MS = 3000;

/** The service as collectors see it. */
export const makeResource = (settings: ServiceSettings, version: string): Resource =>
  defaultResource().merge(resourceFromAttributes(describeService(settings, version)));

/**
 * @param path `v1/traces` or `v1/metrics`, appended to the base URL
 * @returns options of an OTLP exporter; what is not set here it reads from the standard OTEL_* variables
 */
export function collectorOptions(settings: CollectorSettings, path: string, ownUrl: string) {
  const base = settings.otelExporterOtlpEndpoint;
  const url = ownUrl || (base === '' ? '' : `${base.replace(/\/+$/, '')}/${path}`);
  return {
    ...(url === '' ? {} : { url }),
    ...(settings.otelExporterOtlpHeaders === '' ? {} : { headers: parsePairs(settings.otelExporterOtlpHeaders) }),
    timeoutMillis: EXPORT_TIMEOUT_MS,
    // A collector that hangs must not gather exports in our memory (REL-26).
    concurrencyLimit: 2,
  };
}

/** True when the protocol is one we speak. Both http values mean JSON over HTTP, which collectors take on one port. */
export function speaksProtocol(settings: CollectorSettings, log: Pick<Log, 'warn'>): boolean {
  if (settings.otelExporterOtlpProtocol !== 'grpc') return true;
  log.warn(
    { component: 'telemetry' },
    'OTEL_EXPORTER_OTLP_PROTOCOL=grpc is not built in, so nothing is exported: set http/protobuf and the port of OTLP over HTTP, mostly 4318',
  );
  return false;
}

/** Sends what the SDK has to say to the log: one warning while the collector is away, all of it under DEBUG=true. */
export function listenToSdk(settings: CollectorSettings, log: Pick<Log, 'warn' | 'info'>): void {
  let warnedAt = Number.NEGATIVE_INFINITY;
  const warn = (text: string): void => {
    if (performance.now() - warnedAt < WARN_EVERY_MS) return;
    warnedAt = performance.now();
    log.warn(
      { component: 'telemetry', reason: reasonOf(text) },
      'Traces or metrics do not reach the collector; the service goes on without. Check OTEL_EXPORTER_OTLP_ENDPOINT',
    );
  };
  const tell = (text: string): void => log.info({ component: 'telemetry', sdk: text.slice(0, 2000) }, 'Telemetry SDK');
  const isDebug = settings.debug;
  const minor = isDebug ? tell : () => undefined;
  const major = (text: string): void => {
    warn(text);
    minor(text);
  };
  const logger = { error: major, warn: minor, info: minor, debug: minor, verbose: minor };
  diag.setLogger(logger, {
    logLevel: isDebug ? DiagLogLevel.DEBUG : DiagLogLevel.ERROR,
    suppressOverrideMessage: true,
  });
}

/** The SDK hands over errors as JSON with their stack. */
function reasonOf(text: string): string {
  try {
    const { name, message, code } = JSON.parse(text) as Record<string, unknown>;
    return [name, code, message]
      .filter((part) => typeof part === 'string' || typeof part === 'number')
      .join(': ')
      .slice(0, 200);
  } catch {
    return text.slice(0, 200);
  }
}

/** Waits for `work`, but not longer than `seconds`; failures are the collector's trouble and have been told. */
export async function withinSeconds(seconds: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, seconds * 1000);
  });
  await Promise.race([work.catch(() => undefined), limit]);
  clearTimeout(timer);
}
