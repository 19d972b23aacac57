import { Counter, type Registry } from 'prom-client';
import type { MetricSources } from './metric-sources.js';

/** Adds the metrics of second factors. */
export function addFactorMetrics(registers: Registry[], read: MetricSources['factors']): void {
  new Counter({
    name: 'latchkey_mfa_verifications_total',
    help: 'Verifications of second factors by kind and result: ok, wrong, drift (the code of another time), replayed or rejected (by the hook).',
    labelNames: ['kind', 'result'],
    aggregator: 'sum',
    registers,
    collect() {
      this.reset();
      for (const [key, count] of read().results) {
        const [kind = '', result = ''] = key.split(' ');
        this.inc({ kind, result }, count);
      }
    },
  });
  new Counter({
    name: 'latchkey_mfa_totp_offset_total',
    help: 'Accepted codes of authenticator apps by how many steps of 30 s their clock is off; a rising share of one sign is a wrong clock of this server.',
    labelNames: ['steps'],
    aggregator: 'sum',
    registers,
    collect() {
      this.reset();
      for (const [steps, count] of read().offsets) this.inc({ steps }, count);
    },
  });
}
