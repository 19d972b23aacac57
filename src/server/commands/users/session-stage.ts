import {
  endGoneSessions,
  type ImportSession,
  importSessions,
  type SessionVerdict,
} from '../../../db/import-sessions.js';
import type { Database } from '../../../db/types.js';
import type { RowResult, Stage } from '../../importing/stage.js';

const results: Readonly<Record<SessionVerdict, RowResult>> = {
  imported: 'imported',
  changed: 'changed',
  same: 'skipped',
  there: 'skipped',
  // Its account was refused or left out, and is counted there.
  no_account: 'skipped',
  // So was its client.
  no_client: 'skipped',
  kept: 'kept',
  ended: 'kept',
};

/** A session that came with an earlier run and has ended there since ends here, too, unless it was refreshed here. */
export function sessionStage(db: Database, rows: Stage<ImportSession>['rows']): Stage<ImportSession> {
  return {
    name: 'sessions',
    rows,
    store: async (sessions) => (await importSessions(db, sessions)).map((verdict) => results[verdict]),
    keysOf: ({ session }) => [session.id],
    findGone: (after, upTo, present) => endGoneSessions(db, after, upTo, present),
  };
}
