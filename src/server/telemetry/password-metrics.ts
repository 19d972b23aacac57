import { Counter, Gauge, type Registry } from 'prom-client';
import type { MetricSources } from './metric-sources.js';

/** Adds the metrics of the checks of new passwords. */
export function addPasswordMetrics(registers: Registry[], read: MetricSources['passwords']): void {
  new Counter({
    name: 'latchkey_password_leak_checks_total',
    help: 'Look-ups in the list of leaked passwords by outcome: clean, leaked or failed.',
    labelNames: ['outcome'],
    aggregator: 'sum',
    registers,
    collect() {
      this.reset();
      for (const [outcome, count] of Object.entries(read().leakChecks)) this.inc({ outcome }, count);
    },
  });
  new Gauge({
    name: 'latchkey_password_filter_built_time_seconds',
    help: 'When the filter of leaked passwords was built, in Unix time; without a filter there is no sample.',
    aggregator: 'min',
    registers,
    collect() {
      const builtAt = read().filterBuiltAtSeconds;
      return builtAt === null ? this.remove() : this.set(builtAt);
    },
  });
}
