/** Shared by traces and pushed metrics: resource, collector and diagnostics. */
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

/** Interval of repeated warnings. */
const WARN_EVERY_MS = 300_000;
/** Limit of one export. A running export delays the end of the process this long (REL-15). */
const EXPORT_TIMEOUT_MS = 3000;

/** The resource that collectors see. */
export const makeResource = (settings: ServiceSettings, version: string): Resource =>
  defaultResource().merge(resourceFromAttributes(describeService(settings, version)));

/**
 * @param path `v1/traces` or `v1/metrics`, appended to the base URL
 * @returns options of an OTLP exporter, which reads others from the standard OTEL_* variables
 */
export function collectorOptions(settings: CollectorSettings, path: string, ownUrl: string) {
  const base = settings.otelExporterOtlpEndpoint;
  const url = ownUrl || (base === '' ? '' : `${base.replace(/\/+$/, '')}/${path}`);
  return {
    ...(url === '' ? {} : { url }),
    ...(settings.otelExporterOtlpHeaders === '' ? {} : { headers: parsePairs(settings.otelExporterOtlpHeaders) }),
    timeoutMillis: EXPORT_TIMEOUT_MS,
    // A hanging collector must not accumulate exports in memory (REL-26).
    concurrencyLimit: 2,
  };
}

/**
 * Whether the protocol is supported. Both http values mean JSON over HTTP, which collectors accept on the same port.
 */
export function supportsProtocol(settings: CollectorSettings, log: Pick<Log, 'warn'>): boolean {
  if (settings.otelExporterOtlpProtocol !== 'grpc') return true;
  log.warn(
    { component: 'telemetry' },
    'OTEL_EXPORTER_OTLP_PROTOCOL=grpc is not built in, so nothing is exported: set http/protobuf and the port of OTLP over HTTP, mostly 4318',
  );
  return false;
}

/**
 * Sends diagnostics of the SDK to the log: one warning while the collector is unreachable, everything with DEBUG=true.
 */
export function forwardSdkDiagnostics(settings: CollectorSettings, log: Pick<Log, 'warn' | 'info'>): void {
  let warnedAt = Number.NEGATIVE_INFINITY;
  const warn = (text: string): void => {
    if (performance.now() - warnedAt < WARN_EVERY_MS) return;
    warnedAt = performance.now();
    log.warn(
      { component: 'telemetry', reason: reasonOf(text) },
      'Traces or metrics do not reach the collector; the service goes on without. Check OTEL_EXPORTER_OTLP_ENDPOINT',
    );
  };
  const debug = (text: string): void => log.info({ component: 'telemetry', sdk: text.slice(0, 2000) }, 'Telemetry SDK');
  const isDebug = settings.debug;
  const minor = isDebug ? debug : () => undefined;
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

/** The SDK reports errors as JSON with their stack. */
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

/** Waits for `work`, but not longer than `seconds`. Failures were reported by the SDK. */
export async function withinSeconds(seconds: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, seconds * 1000);
  });
  await Promise.race([work.catch(() => undefined), limit]);
  clearTimeout(timer);
}
