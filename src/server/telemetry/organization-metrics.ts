import { Counter, Gauge, type Registry } from 'prom-client';
import type { MetricSources } from './metric-sources.js';

const PREFIX = 'latchkey_organization';
/** Audit events of invitations begin so; the rest is the outcome. */
const INVITATION = 'organization.invitation_';

/** Adds the metrics of organizations. Which organization is no label: users may add any number. */
export function addOrganizationMetrics(registers: Registry[], read: MetricSources['organizations']) {
  type Counts = NonNullable<NonNullable<ReturnType<MetricSources['organizations']>>['counts']>;
  const gauge = (name: string, help: string, pick: (counts: Counts) => number) =>
    new Gauge({
      name,
      help,
      // Every process counts the same rows.
      aggregator: 'max',
      registers,
      collect() {
        const counts = read()?.counts ?? null;
        return counts === null ? this.remove() : this.set(pick(counts));
      },
    });
  gauge(`${PREFIX}s`, 'Organizations, of all instances.', ({ organizations }) => organizations);
  gauge(`${PREFIX}_members`, 'Memberships, of all instances.', ({ members }) => members);
  gauge(
    `${PREFIX}_invitations_pending`,
    'Invitations that can be accepted, of all instances.',
    ({ pending }) => pending,
  );
  const invitations = new Counter({
    name: `${PREFIX}_invitations_total`,
    help: 'Invitations by outcome: created, accepted, declined or revoked.',
    labelNames: ['outcome'],
    aggregator: 'sum',
    registers,
  });
  return {
    countAuditEvent(action: string): void {
      if (action.startsWith(INVITATION)) invitations.inc({ outcome: action.slice(INVITATION.length) });
    },
    /** While organizations are off there is none of their metrics, not even its name. */
    isShown: ({ name }: { readonly name: string }): boolean => read() !== null || !name.startsWith(PREFIX),
  };
}
