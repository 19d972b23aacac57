import { freePort } from './free-port.js';
import { parsePage } from './prometheus.js';

export interface MetricsPage {
  /** Settings of the server whose metrics are read. */
  readonly settings: Record<string, string>;
  /** @returns the gauges and counters without labels, by name */
  read(): Promise<ReadonlyMap<string, number>>;
}

export async function openMetricsPage(): Promise<MetricsPage> {
  const port = await freePort();
  return {
    settings: {
      METRICS_ENABLED: 'true',
      METRICS_EXPORTER: 'prometheus',
      OTEL_EXPORTER_PROMETHEUS_HOST: '127.0.0.1',
      OTEL_EXPORTER_PROMETHEUS_PORT: String(port),
    },
    async read() {
      const page = parsePage(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
      return new Map([...page].map(([name, { samples }]) => [name, samples[0]?.value ?? 0]));
    },
  };
}
