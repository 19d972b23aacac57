import { countPrunable, type Pruned, pruneBatch, pruned } from '../../db/prune.js';
import { parseDuration } from '../config/parse.js';
import { pruneAges } from '../housekeeping.js';
import { withDatabase } from './database.js';
import { type Command, EXIT } from './types.js';

const BATCH = 1000;

const words: Readonly<Record<Pruned, string>> = {
  one_time_tokens: 'codes and links that have run out',
  flow_states: 'sign-ins that were begun and not finished',
  sessions: 'sessions that ended a day ago or more',
  outbox: 'mails that can no longer be sent',
  rate_counters: 'counters of limits that count nothing any more',
  audit_log: 'audit entries',
};

export const prune: Command = {
  summary: 'Delete what is of no use any more',
  help: `Deletes codes that have run out, flows nobody finished, sessions that have ended, mails that were never sent and old
counters, a thousand at a time, beside a running server; run it once a day. Accounts are never touched, and audit
entries only when --audit says how old they must be.`,
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
      const gone = {} as Record<Pruned, number>;
      for (const kind of pruned) {
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
    const width = Math.max(...pruned.map((kind) => String(counts[kind]).length));
    const lines = pruned.map((kind) => `${String(counts[kind]).padStart(width)}  ${words[kind]}\n`);
    io.out(
      args.values['json'] === true
        ? `${JSON.stringify({ dry_run: isDry, ...counts })}\n`
        : `${isDry ? 'Would be deleted:' : 'Deleted:'}\n${lines.join('')}`,
    );
    return EXIT.ok;
  },
};
