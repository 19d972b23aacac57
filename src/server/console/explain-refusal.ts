/** Tells what a refused request failed at: each check in its order, the settings behind it, and what to do. */
import type { RefusalRow } from '../../db/refusals.js';
import { viewRunningConfig } from '../admin/running-config.js';
import { allSettings, mainNameOf } from '../config/settings.js';
import { APPLICATION_REASON, catalogue, type ErrorName } from '../errors.js';
import type { App } from '../runtime/app.js';
import { type CheckName, checks } from './explanations/check-names.js';
import { explanations } from './explanations/index.js';
import { limitSettings } from './explanations/limit-settings.js';
import { reasons } from './explanations/reasons.js';
import { ruleOrderOf } from './explanations/rule-order.js';

/** `maybe`: passed, or this request was not asked for it. `unknown`: a fault came before or after it. */
type Outcome = 'passed' | 'failed' | 'does_not_apply' | 'maybe' | 'unknown' | 'not_reached';

interface ShownSetting {
  readonly name: string;
  readonly doc: string;
  readonly is_set: boolean;
  /** Absent for secrets. */
  readonly value?: unknown;
  readonly fingerprint?: string;
}

interface ShownCheck {
  readonly name: CheckName;
  readonly holds: string;
  readonly outcome: Outcome;
  readonly settings: readonly ShownSetting[];
}

const outcomes: Readonly<Record<string, Outcome>> = {
  '+': 'passed',
  '-': 'does_not_apply',
  '~': 'maybe',
  '!': 'failed',
  '.': 'not_reached',
};

/** Of an error that a newer release recorded. */
const unknownError = ['rules', 'A newer release of the server recorded this error.'] as const;

const explanationOf = (error: string): readonly [check: CheckName, advice: string, ...settings: string[]] =>
  Object.hasOwn(explanations, error) ? explanations[error as ErrorName] : unknownError;

/** The check that failed, as far as the record tells. */
function failedCheckOf({ error, reason }: RefusalRow): CheckName {
  return (reason === null ? undefined : reasons[reason]?.[1]) ?? explanationOf(error)[0];
}

/** One line of a list. */
export function viewRefusal(row: RefusalRow) {
  const { id, created_at, request_id, method, route, grant_type, status, error_code, user_id, ip, left_out } = row;
  const shared = { id, created_at, request_id, method, route, grant_type, status, error_code, user_id, ip, left_out };
  const message = Object.hasOwn(catalogue, row.error) ? catalogue[row.error as ErrorName][2] : '';
  return { ...shared, message, failed: checks[failedCheckOf(row)][0] };
}

/** With everything that is known about it. */
export function explainRefusal(app: Pick<App, 'config' | 'generation' | 'version'>, row: RefusalRow) {
  const { settings: inUse } = viewRunningConfig(app);
  const show = (names: Iterable<string>): ShownSetting[] =>
    [...new Set(names)].flatMap((name) => {
      const doc = docs.get(name);
      return doc === undefined ? [] : [{ name, doc, ...(inUse[name] ?? { is_set: false }) }];
    });
  const [, advice, ...own] = explanationOf(row.error);
  const failing = [...own, ...(limitSettings[row.limit_name ?? ''] ?? [])];
  const list = listChecks(row).map(([name, outcome, check]) => {
    const [holds, ...settings] = checks[check];
    return { name, holds, outcome, settings: show(outcome === 'failed' ? [...settings, ...failing] : settings) };
  });
  return {
    ...viewRefusal(row),
    advice,
    reason: row.reason === null ? null : wordsOf(row.reason),
    limit: row.limit_name,
    checks: list satisfies readonly ShownCheck[],
  };
}

const wordsOf = (reason: string): string | null =>
  reason.startsWith(APPLICATION_REASON)
    ? `It came from ${reason.slice(APPLICATION_REASON.length)}`
    : (reasons[reason]?.[0] ?? null);

const docs = new Map(allSettings.map(({ setting }) => [mainNameOf(setting), setting.doc]));

type Listed = readonly [name: CheckName, outcome: Outcome, shownAs: CheckName];

function listChecks(row: RefusalRow): readonly Listed[] {
  const failed = failedCheckOf(row);
  return row.steps.split(' ').flatMap((step): readonly Listed[] => {
    const name = step.slice(1) as CheckName;
    const outcome = outcomes[step[0]!] ?? 'unknown';
    if (!Object.hasOwn(checks, name)) return [];
    if (outcome !== 'failed') return name === 'rules' ? [] : [[name, outcome, name]];
    // The limit of a client may fail since the database is away: what failed is shown as what it is.
    return name === 'rules' ? listRules(row, failed) : [[name, 'failed', failed]];
  });
}

function listRules({ method, route, grant_type }: RefusalRow, failed: CheckName): readonly Listed[] {
  const order = ruleOrderOf(method, route, grant_type);
  const end = order.indexOf(failed);
  if (end === -1) return [...order.map((name): Listed => [name, 'unknown', name]), [failed, 'failed', failed]];
  return order.map((name, at): Listed => {
    if (at === end) return [name, 'failed', name];
    return [name, at < end ? 'passed' : 'not_reached', name];
  });
}
