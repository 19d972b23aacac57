import { Counter, type Registry } from 'prom-client';
import type { MetricSources } from './metric-sources.js';

/** Adds the metrics of the authorization server. Its clients are no label: everybody may register one. */
export function addOauthMetrics(registers: Registry[], read: MetricSources['oauth']): void {
  new Counter({
    name: 'latchkey_oauth_tokens_total',
    help: 'Requests to /oauth/token by grant and outcome: ok, or the error of RFC 6749.',
    labelNames: ['grant', 'outcome'],
    aggregator: 'sum',
    registers,
    collect() {
      this.reset();
      for (const [key, count] of read().grants) {
        const [grant = '', outcome = ''] = key.split(' ');
        this.inc({ grant, outcome }, count);
      }
    },
  });
  new Counter({
    name: 'latchkey_oauth_logouts_total',
    help: 'Attempts to deliver a logout token to its client by result: delivered, retried or given_up.',
    labelNames: ['result'],
    aggregator: 'sum',
    registers,
    collect() {
      this.reset();
      for (const [result, count] of read().logouts) this.inc({ result }, count);
    },
  });
}
