/** Variables with our prefix that are no setting: misspelled ones, and those of features that are not offered. */
import type { Notice } from './faults.js';
import { allSettings, mainNameOf } from './settings.js';

/** Settings of supabase/auth without effect here, reported after a move. */
const NOT_OFFERED: readonly (readonly [RegExp, string])[] = [
  [/^OAUTH_SERVER_|^RATE_LIMIT_O_AUTH_/, 'being an OAuth server is not offered'],
  [
    /^PASSWORD_HIBP_BLOOM_/,
    'answers of the service are kept for a day instead; AUTH_PASSWORD_HIBP_FILE, which latchkey passwords build-filter makes, asks no service at all',
  ],
  [/^PROFILER_/, 'there is no profiler port'],
  [/^EXTERNAL_VERCEL_MARKETPLACE_/, 'the provider is not offered'],
  [/^SMS_TWILIO_VERIFY_/, 'Twilio Verify is not one of the four gateways'],
  [/^MAILER_EXTERNAL_HOSTS$/, 'request headers never decide where a link leads'],
  [/^MAILER_EMAIL_BACKGROUND_SENDING$/, 'the outbox always sends in the background'],
  [/^MAILER_EMAIL_|^MAILER_NOTIFICATIONS_|^MAILER_TEMPLATE_/, 'this mail feature is not offered'],
  [
    /^DB_(MIGRATIONS_PATH|MAX_IDLE_POOL_SIZE|HEALTH_CHECK_PERIOD|CONN_PERCENTAGE|ADVISOR_.*)$/,
    'the pool manages itself',
  ],
  [/^LOG_SQL$/, 'statements are never logged'],
  [/^EXTERNAL_[A-Z_]+_API_URL$/, 'the provider’s _URL serves for it'],
];

/**
 * @param names every variable that is set
 * @param known every name this server reads
 */
export function noticeUnknown(names: Iterable<string>, known: ReadonlySet<string>): Notice[] {
  const notices: Notice[] = [];
  let listed: string[] | undefined;
  // Most environments need none of them.
  const listCandidates = (): string[] => (listed ??= [...known].filter((name) => name.startsWith('AUTH_')));
  for (const name of names) {
    const [, prefix, variable] = /^(AUTH|GOTRUE)_(.+)$/.exec(name) ?? [];
    if (variable === undefined || known.has(name)) continue;
    const reason = NOT_OFFERED.find(([pattern]) => pattern.test(variable))?.[1];
    if (reason !== undefined) {
      notices.push({ variable: name, message: `${name} is ignored: ${reason}.` });
      continue;
    }
    if (variable.endsWith('_FILE') && known.has(`${prefix}_${variable.slice(0, -5)}`)) {
      notices.push({ variable: name, message: `${name} is ignored: only secrets are read from files.` });
      continue;
    }
    if (
      variable.startsWith('EXTERNAL_CUSTOM_') &&
      !listCandidates().some((other) => other.startsWith(stemOf(variable)))
    ) {
      const message = `${name} is not a setting; a provider of your own needs ${CUSTOM_NEEDS}.`;
      notices.push({ variable: name, message });
      continue;
    }
    const nearest = findNearest(`AUTH_${variable}`, listCandidates());
    if (nearest !== undefined) {
      notices.push({ variable: name, message: `${name} is not a setting; did you mean ${nearest}?` });
    }
  }
  return notices;
}

const CUSTOM_NEEDS = ['ISSUER', 'CLIENT_ID', 'SECRET']
  .map((field) => `AUTH_EXTERNAL_CUSTOM_<NAME>_${field}`)
  .join(', ');

/** `AUTH_EXTERNAL_CUSTOM_ACME_` of a variable that begins so. */
function stemOf(variable: string): string {
  return `AUTH_${/^EXTERNAL_CUSTOM_[^_]*_?/.exec(variable)![0]}`;
}

/**
 * @param name that is no main name of a setting: misspelled, without prefix, or with that of supabase/auth
 * @returns the main name that may be meant
 */
export const findMeantName = (name: string): string | undefined =>
  findNearest(
    `AUTH_${name.toUpperCase().replace(/^(AUTH|GOTRUE)_/, '')}`,
    allSettings.map(({ setting }) => mainNameOf(setting)),
  );

/** The candidate at most 3 edits away (fewer for short names), or undefined. */
function findNearest(name: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.min(3, Math.floor((name.length - 5) / 4)) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - name.length) >= bestDistance) continue;
    const distance = editDistance(name, candidate);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Levenshtein distance; a transposition counts as one edit. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const change = a[row - 1] === b[column - 1] ? 0 : 1;
      let least = Math.min(current[column - 1]! + 1, above[column]! + 1, above[column - 1]! + change);
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        least = Math.min(least, before[column - 2]! + 1);
      }
      current.push(least);
    }
    [before, above] = [above, current];
  }
  return above[b.length]!;
}
