import { Counter, Gauge, type Registry } from 'prom-client';
import type { MetricSources } from './metric-sources.js';

/** Adds the metrics of the keys of access tokens. A kid is that of one of our keys, so their number is small. */
export function addKeyMetrics(registers: Registry[], read: MetricSources['tokenKeys']): void {
  new Counter({
    name: 'latchkey_token_verify_total',
    help: 'Access tokens verified by key and outcome: ok, expired or refused. The kid unknown stands for all others.',
    labelNames: ['kid', 'outcome'],
    aggregator: 'sum',
    registers,
    collect() {
      this.reset();
      for (const [kid, counts] of read().verifications) {
        for (const outcome of ['ok', 'expired', 'refused'] as const) this.inc({ kid, outcome }, counts[outcome]);
      }
    },
  });
  new Gauge({
    name: 'latchkey_signing_key_age_seconds',
    help: 'Age of each key in the database that is not retired.',
    labelNames: ['kid'],
    aggregator: 'max',
    registers,
    collect() {
      this.reset();
      for (const [kid, seconds] of Object.entries(read().ageSeconds)) this.set({ kid }, seconds);
    },
  });
}
