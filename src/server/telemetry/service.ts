/** The service's identity: resource attributes for collectors, labels of target_info for Prometheus. */
import { hostname } from 'node:os';

export interface ServiceSettings {
  /** Empty: from otelResourceAttributes, or `latchkey`. */
  readonly otelServiceName: string;
  readonly otelResourceAttributes: string;
}

/** @param version of the build; it takes precedence over auth.version in OTEL_RESOURCE_ATTRIBUTES */
export function describeService(settings: ServiceSettings, version: string): Record<string, string> {
  const own = parsePairs(settings.otelResourceAttributes);
  return {
    'service.instance.id': `${hostname()}-${process.pid}`,
    ...own,
    'service.name': settings.otelServiceName || own['service.name'] || 'latchkey',
    'auth.version': version,
  };
}

/**
 * Attributes as Prometheus labels: a run of other characters becomes one `_`, and values of names that become equal are
 * joined by `;` (OpenTelemetry specification, Prometheus and OpenMetrics compatibility).
 */
export function toLabels(attributes: Readonly<Record<string, string>>): Record<string, string> {
  const labels: Record<string, string> = Object.create(null);
  for (const [key, value] of Object.entries(attributes)) {
    const name = key.replace(/[^A-Za-z0-9]+/g, '_').replace(/^(?=\d)/, '_');
    labels[name] = name in labels ? `${labels[name]};${value}` : value;
  }
  return labels;
}

/** `a=1,b=two%20words` (W3C baggage syntax, which OpenTelemetry uses for attributes and headers). */
export function parsePairs(text: string): Record<string, string> {
  const pairs: Record<string, string> = {};
  for (const pair of text.split(',')) {
    const at = pair.indexOf('=');
    const key = pair.slice(0, at).trim();
    if (at < 1 || key === '') continue;
    const value = pair.slice(at + 1).trim();
    try {
      pairs[key] = decodeURIComponent(value);
    } catch {
      pairs[key] = value;
    }
  }
  return pairs;
}
