/** Exports the metrics of the process as METRICS_EXPORTER specifies. Runs on the main thread. */
import type { Log } from './log.js';
import type { MetricSnapshot } from './metric-sources.js';
import type { PushSettings } from './metrics-push.js';
import { describeService, toLabels } from './service.js';

export interface ExportSettings extends PushSettings {
  readonly metricsExporter: string;
  readonly otelExporterPrometheusHost: string;
  readonly otelExporterPrometheusPort: number;
}

export interface MetricsExportOptions {
  readonly settings: ExportSettings;
  readonly version: string;
  /** Returns the metrics of every thread. */
  readonly gather: () => Promise<readonly (readonly MetricSnapshot[])[]>;
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
}

export interface MetricsExport {
  /** Port of the metrics page; null when none is served. */
  readonly port: number | null;
  close(): Promise<void>;
}

export async function exportMetrics({ settings, version, gather, log }: MetricsExportOptions): Promise<MetricsExport> {
  const { mergeSnapshots, PAGE_CONTENT_TYPE, renderMetrics } = await import('./metrics.js');
  if (settings.metricsExporter === 'prometheus') {
    const { serveMetrics } = await import('./metrics-server.js');
    const target = toLabels(describeService(settings, version));
    const server = await serveMetrics({
      host: settings.otelExporterPrometheusHost,
      port: settings.otelExporterPrometheusPort,
      contentType: PAGE_CONTENT_TYPE,
      render: async () => renderMetrics(await gather(), target),
      log,
    });
    return { port: server?.port ?? null, close: async () => server?.close() };
  }
  const { pushMetrics } = await import('./metrics-push.js');
  const push = pushMetrics({ settings, version, log, gather: async () => mergeSnapshots(await gather()) });
  return { port: null, close: async () => push?.close() };
}
