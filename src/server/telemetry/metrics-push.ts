/** Pushes the metrics to a collector over OTLP. Loaded only with METRICS_EXPORTER=opentelemetry. */
import { type HrTime, ValueType } from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import {
  AggregationTemporality,
  DataPointType,
  MeterProvider,
  type MetricData,
  type MetricProducer,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import type { Log } from './log.js';
import type { MetricSnapshot, MetricValue } from './metric-sources.js';
import {
  type CollectorSettings,
  collectorOptions,
  forwardSdkDiagnostics,
  makeResource,
  supportsProtocol,
  withinSeconds,
} from './otlp.js';

export interface PushSettings extends CollectorSettings {
  readonly otelExporterOtlpMetricsEndpoint: string;
  readonly otelMetricExportInterval: number;
}

export interface MetricsPushOptions {
  readonly settings: PushSettings;
  readonly version: string;
  /** Returns the merged metrics of all threads. */
  readonly gather: () => Promise<readonly MetricSnapshot[]>;
  readonly log: Pick<Log, 'warn' | 'info'>;
}

const FLUSH_SECONDS = 3;

/** @returns null when the protocol is not supported, which is logged */
export function pushMetrics({ settings, version, gather, log }: MetricsPushOptions): { close(): Promise<void> } | null {
  if (!supportsProtocol(settings, log)) return null;
  forwardSdkDiagnostics(settings, log);
  const resource = makeResource(settings, version);
  const startTime: HrTime = toHrTime(Date.now() - process.uptime() * 1000);
  const producer: MetricProducer = {
    async collect() {
      const endTime = toHrTime(Date.now());
      const metrics = (await gather()).map((snapshot) => toMetricData(snapshot, startTime, endTime));
      return {
        resourceMetrics: { resource, scopeMetrics: [{ scope: { name: 'latchkey', version }, metrics }] },
        errors: [],
      };
    },
  };
  const interval = settings.otelMetricExportInterval;
  const reader = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter(
      collectorOptions(settings, 'v1/metrics', settings.otelExporterOtlpMetricsEndpoint),
    ),
    exportIntervalMillis: interval,
    exportTimeoutMillis: Math.min(interval, 30_000),
    metricProducers: [producer],
  });
  const provider = new MeterProvider({ resource, readers: [reader] });
  return { close: () => withinSeconds(FLUSH_SECONDS, provider.shutdown()) };
}

const toHrTime = (milliseconds: number): HrTime => [
  Math.floor(milliseconds / 1000),
  Math.round((milliseconds % 1000) * 1e6),
];

/** OpenTelemetry's names have neither unit nor `_total`; collectors add both for Prometheus. */
export function nameForOtlp({ name, type }: Pick<MetricSnapshot, 'name' | 'type'>): { name: string; unit: string } {
  const base = type === 'counter' ? name.replace(/_total$/, '') : name;
  if (base.endsWith('_seconds')) return { name: base.slice(0, -'_seconds'.length), unit: 's' };
  if (base.endsWith('_bytes')) return { name: base.slice(0, -'_bytes'.length), unit: 'By' };
  return { name: base, unit: '' };
}

export function toMetricData(snapshot: MetricSnapshot, startTime: HrTime, endTime: HrTime): MetricData {
  const descriptor = { ...nameForOtlp(snapshot), description: snapshot.help, valueType: ValueType.DOUBLE };
  const common = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE };
  const point = <T>(labels: MetricValue['labels'], value: T) => ({ startTime, endTime, attributes: labels, value });
  if (snapshot.type === 'histogram') {
    const dataPoints = groupHistogram(snapshot.values).map(({ labels, value }) => point(labels, value));
    return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints };
  }
  const dataPoints = snapshot.values.map(({ labels, value }) => point(labels, value));
  if (snapshot.type === 'gauge') return { ...common, dataPointType: DataPointType.GAUGE, dataPoints };
  return { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints };
}

/** Prometheus has a cumulative series per bucket, OTLP one point with a separate count per bucket. */
function groupHistogram(values: readonly MetricValue[]) {
  const points = new Map<
    string,
    { labels: Record<string, string | number>; sum: number; count: number; atMost: [number, number][] }
  >();
  for (const { labels: all, value, metricName = '' } of values) {
    const { le, ...labels } = all;
    const key = JSON.stringify(Object.entries(labels).sort());
    const point = points.get(key) ?? { labels, sum: 0, count: 0, atMost: [] };
    points.set(key, point);
    if (metricName.endsWith('_sum')) point.sum = value;
    else if (metricName.endsWith('_count')) point.count = value;
    else if (le !== '+Inf' && le !== undefined) point.atMost.push([Number(le), value]);
  }
  return [...points.values()].map(({ labels, sum, count, atMost }) => {
    atMost.sort(([a], [b]) => a - b);
    const counts = atMost.map(([, upTo], i) => upTo - (atMost[i - 1]?.[1] ?? 0));
    counts.push(count - (atMost.at(-1)?.[1] ?? 0));
    return { labels, value: { sum, count, buckets: { boundaries: atMost.map(([bound]) => bound), counts } } };
  });
}
