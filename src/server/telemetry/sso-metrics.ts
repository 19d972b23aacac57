import { Gauge, type Registry } from 'prom-client';
import type { MetricSources } from './metric-sources.js';

/** Adds the metrics of the identity providers of companies. */
export function addSsoMetrics(registers: Registry[], read: MetricSources['ssoEnds']): void {
  new Gauge({
    name: 'latchkey_sso_ends_soon',
    help: 'Identity providers whose certificate or metadata ends within 30 days, or has ended, by what ends.',
    labelNames: ['what'],
    aggregator: 'max',
    registers,
    collect() {
      for (const [what, providers] of Object.entries(read())) this.set({ what }, providers);
    },
  });
}
