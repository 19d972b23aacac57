import type { Records } from '../records/index.js';
import type { App } from './app.js';

/** Both want to know of audit events; undefined: neither does. */
export function countAuditFor(count: App['countAuditEvent'], records: Records | null): App['countAuditEvent'] {
  if (count === undefined || records === null) return count ?? records?.countAuditEvent;
  return (action) => {
    count(action);
    records.countAuditEvent(action);
  };
}
