import { Counter, type Registry } from 'prom-client';
import type { MetricSources } from './metric-sources.js';

/** Adds the metrics of events. Their endpoints are no label: administrators may add any number. */
export function addEventMetrics(registers: Registry[], read: MetricSources['events']): void {
  new Counter({
    name: 'latchkey_event_deliveries_total',
    help: 'Attempts to deliver an event by result: delivered, retried, or dead when it was given up.',
    labelNames: ['result'],
    aggregator: 'sum',
    registers,
    collect() {
      this.reset();
      for (const [result, count] of Object.entries(read())) this.inc({ result }, count);
    },
  });
}
