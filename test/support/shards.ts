/** Which statements one shard could answer alone, were the tables split as docs/growing.md says. */
import type { Statement } from '../../src/db/statements.js';

/** What each table would be split by. Those split by the user lie together. */
export const distributionKeys: Readonly<Record<string, string>> = {
  users: 'id',
  identities: 'user_id',
  sessions: 'user_id',
  account_origins: 'user_id',
  one_time_tokens: 'user_id',
  flow_states: 'id',
  outbox: 'recipient_hash',
  rate_counters: 'key',
  audit_log: 'id',
  migrations: 'everywhere',
};

const BY_USER = ['users', 'identities', 'sessions', 'one_time_tokens', 'account_origins'];

/**
 * @param statement loaded without a prefix
 * @returns whether it names the one shard it is about. Entries of the audit log are left out: almost every deed appends
 *   some, to wherever they fall, and AUTH_AUDIT_LOG_DISABLE_POSTGRES leaves them to the log.
 */
export function isOneShard({ text }: Pick<Statement, 'text'>): boolean {
  const all = [...new Set([...text.matchAll(/"([a-z_]+)"/g)].map(([, name]) => name!))];
  const known = all.filter((name) => name in distributionKeys);
  const tables = known.filter((name) => name !== 'audit_log' && name !== 'migrations');
  if (tables.length === 0) return !known.includes('audit_log');
  if (tables.every((name) => BY_USER.includes(name))) return namesUser(text);
  if (tables.length > 1) return false;
  if (tables[0] === 'rate_counters') return /\bkey = \$\d|\(name, key, [^)]*\)\nvalues \([^,]+, \$\d/.test(text);
  return tables[0] === 'flow_states' && /\bf\.id = \$\d|\(id, [^)]*\)\nvalues \(\$1\b/.test(text);
}

/** A user id comes in as a parameter, and no row is looked for by what any user might have. */
function namesUser(text: string): boolean {
  const isGiven =
    /\bu\.id = \$\d|\buser_id = \$\d|unnest\(\(select \$1::uuid\[\]\)[^;]*\(user_id,/.test(text) ||
    /insert into "users" \([^)]*\)\s*values \(\$1\b/.test(text);
  const asksAnybody =
    /\b(?:where|and|or)\s+(?:\w\.)?(?:email|phone|recipient|link_hash|new_phone) = (?:any\()?\$\d/.test(text) ||
    ['s', 't'].some((alias) => text.includes(` ${alias}.id = `) && !text.includes(` ${alias}.user_id = `));
  return isGiven && !asksAnybody;
}
