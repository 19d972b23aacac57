import { countPrunable, type PrunedTable, pruneBatch, prunedTables } from '../../db/prune.js';
import { withDatabase } from '../cli/database.js';
import { type Command, EXIT } from '../cli/types.js';
import { parseDuration } from '../config/parse.js';
import { pruneAges } from '../runtime/housekeeping.js';

const BATCH = 1000;

const words: Readonly<Record<PrunedTable, string>> = {
  one_time_tokens: 'codes and links that have run out',
  flow_states: 'sign-ins that were begun and not finished',
  sessions: 'sessions that ended a day ago or more',
  outbox: 'mails that can no longer be sent',
  rate_counters: 'counters of limits that count nothing any more',
  audit_log: 'audit entries',
  events: 'events past AUTH_WEBHOOKS_RETENTION',
  webhook_queues: 'empty queues of webhooks',
  mfa_challenges: 'challenges of second factors that have run out',
  mfa_factors: 'second factors that were never verified',
  used_challenges: 'used challenges of passkeys and messages of wallets',
  oauth_revoked_tokens: 'revoked tokens of clients that have run out',
  browsers: 'browsers that are not used on the pages',
  page_flows: 'flows of the pages',
  oauth_authorizations: 'requests to the OAuth server that have run out',
  stats_daily: 'counts of days more than a year ago',
  refusals: 'recorded refusals older than a week',
  provider_traces: 'traces of providers',
  scim_users: 'people whom identity providers deleted 30 days ago, with their accounts',
  import_runs: 'imports of files older than a week, with their results',
  oauth_clients: 'OAuth clients that registered themselves and are not used',
  dpop_proofs: 'used DPoP proofs and assertions of clients that have run out',
  saml_relay_states: 'sign-ins that never came back from the identity provider of a company',
  saml_assertions: 'used SAML assertions that have run out',
};

export const prune: Command = {
  summary: 'Delete expired data',
  help: `Deletes expired codes, unfinished flows, ended sessions, mails that can no longer be sent and old counters, a thousand at
a time, while the server runs. Run it once a day. No accounts
are deleted but those that an identity provider deleted 30 days ago, audit entries only with --audit.`,
  options: {
    'dry-run': { type: 'boolean', doc: 'only count' },
    audit: { type: 'string', argument: 'DURATION', doc: 'delete audit entries older than this, e.g. 8760h' },
    json: { type: 'boolean', doc: 'print one JSON object' },
  },
  run: async (args, io) => {
    const given = args.values['audit'] as string | undefined;
    const audit = given === undefined ? null : parseDuration(given, { positive: true });
    if (audit !== null && 'fault' in audit) {
      io.err(`latchkey prune: --audit ${audit.fault}\n`);
      return EXIT.wrongUsage;
    }
    const isDry = args.values['dry-run'] === true;
    const counts = await withDatabase(args, io, async (db, config) => {
      const ages = pruneAges(config, audit?.value ?? null);
      if (isDry) return countPrunable(db, ages);
      const gone = {} as Record<PrunedTable, number>;
      for (const kind of prunedTables) {
        gone[kind] = 0;
        if (kind === 'audit_log' && ages.audit === null) continue;
        for (let last = BATCH, batches = 1; last >= BATCH; batches++) {
          last = await pruneBatch(db, kind, ages, BATCH);
          gone[kind] += last;
          if (batches % 10 === 0) io.err(`${gone[kind]} ${words[kind]} …\n`);
        }
      }
      return gone;
    });
    const width = Math.max(...prunedTables.map((kind) => String(counts[kind]).length));
    const lines = prunedTables.map((kind) => `${String(counts[kind]).padStart(width)}  ${words[kind]}\n`);
    io.out(
      args.values['json'] === true
        ? `${JSON.stringify({ dry_run: isDry, ...counts })}\n`
        : `${isDry ? 'Would be deleted:' : 'Deleted:'}\n${lines.join('')}`,
    );
    return EXIT.ok;
  },
};
