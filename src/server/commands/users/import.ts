import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { describePlace } from '../../../db/diagnose.js';
import { withOrigin } from '../../../db/origin.js';
import { openSupabaseAuth, type SupabaseAuthReader } from '../../../db/supabase-auth.js';
import type { Database } from '../../../db/types.js';
import { countImported } from '../../../db/verify.js';
import type { Config } from '../../config/settings.js';
import { deriveKeys } from '../../sessions/keys.js';
import { withDatabase } from '../database.js';
import { type Command, type CommandArguments, type CommandIo, EXIT } from '../types.js';
import { accountStage } from './account-stage.js';
import { readBookmark, type StageCounts } from './bookmark.js';
import { openProgress } from './progress.js';
import { reportComparison, reportFile, reportPeer } from './report.js';
import type { RowDefaults } from './rows.js';
import { type RunnableStage, runImport, runnable } from './run-import.js';
import { sessionStage } from './session-stage.js';
import { accountsOfPeer, rowsOfFile, sessionsOfPeer } from './sources.js';
import { compareSides } from './verify.js';

export const importUsersCommand: Command = {
  summary: 'Import accounts from a file, or accounts and sessions from the database of a supabase/auth server',
  help: `Reads accounts from FILE, one JSON object per line (docs/moving-in.md lists the fields), or accounts, sessions and refresh
tokens from the tables of the other server, without changing them. An interrupted import continues where it stopped.
Accounts of a file whose id exists are skipped. A later --from-gotrue brings what has changed there since; what has
changed here meanwhile stays. Rows that are refused are reported with the reason, and written to a file next to the
input. Exits with 1 if there are any.`,
  options: {
    'from-gotrue': {
      type: 'string',
      argument: 'DATABASE_URL',
      doc: 'read from this database; env:NAME takes the URL from the variable NAME, which keeps it out of the process list',
    },
    schema: { type: 'string', argument: 'NAME', doc: 'schema of the tables of --from-gotrue (default: auth)' },
    'no-sessions': { type: 'boolean', doc: 'with --from-gotrue, accounts only: every user signs in once' },
    'end-missing': {
      type: 'boolean',
      doc: 'with --from-gotrue, go on although most of the sessions imported earlier have ended there',
    },
    verify: {
      type: 'boolean',
      doc: 'with --from-gotrue, import nothing: count both sides, compare a sample, print the differences',
    },
    sample: { type: 'string', argument: 'ROWS', doc: 'rows of each kind that --verify compares (default: 1000)' },
    bookmark: {
      type: 'string',
      argument: 'FILE',
      doc: 'where to remember how far it came (default: FILE.bookmark, or gotrue-import.bookmark)',
    },
    json: { type: 'boolean', doc: 'print the report as one JSON object' },
  },
  positionals: ['[FILE]'],
  run: async (args, io) => {
    const [file] = args.positionals;
    const peer = args.values['from-gotrue'] as string | undefined;
    if ((file === undefined) === (peer === undefined)) {
      io.err('latchkey users import: give a FILE or --from-gotrue DATABASE_URL\n');
      return EXIT.wrongUsage;
    }
    if (args.values['verify'] === true) {
      if (peer !== undefined) return verifyMove(args, io, peer);
      io.err('latchkey users import: --verify needs --from-gotrue DATABASE_URL\n');
      return EXIT.wrongUsage;
    }
    const startMs = performance.now();
    // Moving in causes no events.
    const counts = await withOrigin({ mute: true }, () =>
      file === undefined ? importFromPeer(args, io, peer!) : importFile(args, io, file),
    );
    const seconds = (performance.now() - startMs) / 1000;
    const report = file === undefined ? reportPeer : reportFile;
    io.out(report(counts, seconds, args.values['json'] === true));
    return counts.accounts.refused + counts.sessions.refused === 0 ? EXIT.ok : EXIT.failed;
  },
};

async function importFile(args: CommandArguments, io: CommandIo, file: string): Promise<StageCounts> {
  const { size } = statSync(file);
  const source = `file ${basename(file)} of ${size} bytes`;
  const bookmarkFile = (args.values['bookmark'] as string | undefined) ?? `${file}.bookmark`;
  const refusedFile = `${file.replace(/\.(ndjson|jsonl|json)$/, '')}.refused.ndjson`;
  return perform(args, io, { source, bookmarkFile, refusedFile }, async ({ db, defaults }) => [
    runnable(accountStage(db, (from) => rowsOfFile(file, size, from, defaults))),
  ]);
}

/** @throws Error when the variable of `env:NAME` is not set */
function readPeerUrl(given: string, io: Pick<CommandIo, 'environment'>): string {
  const name = /^env:(\w+)$/.exec(given)?.[1];
  const url = name === undefined ? given : io.environment[name];
  if (!url) throw new Error(`the variable ${name} is not set`);
  return url;
}

async function importFromPeer(args: CommandArguments, io: CommandIo, given: string): Promise<StageCounts> {
  const url = readPeerUrl(given, io);
  const schema = (args.values['schema'] as string | undefined) ?? 'auth';
  const peer = await openSupabaseAuth(url, schema);
  try {
    const source = `${describePlace(url)}, schema ${schema}`;
    const bookmarkFile = (args.values['bookmark'] as string | undefined) ?? 'gotrue-import.bookmark';
    const refusedFile = `${bookmarkFile.replace(/\.bookmark$/, '')}.refused.ndjson`;
    return await perform(args, io, { source, bookmarkFile, refusedFile }, async ({ db, config, defaults }) => {
      const onGone = (id: string) => io.err(`account ${id} has been deleted there, and is still here\n`);
      const accounts = runnable(accountStage(db, (from) => accountsOfPeer(peer, from, defaults), onGone));
      if (args.values['no-sessions'] === true) return [accounts];
      if (!(await peer.hasSessions())) {
        io.err('There are no tables sessions, refresh_tokens and mfa_amr_claims: only accounts are imported.\n');
        return [accounts];
      }
      if (args.values['end-missing'] !== true) await assertSessionsRemain(db, peer);
      const keys = deriveKeys(config);
      return [accounts, runnable(sessionStage(db, (from) => sessionsOfPeer(peer, from, keys)))];
    });
  } finally {
    await peer.close();
  }
}

/** The wrong database, or an empty one, would end every session. @throws Error */
async function assertSessionsRemain(db: Database, peer: SupabaseAuthReader): Promise<void> {
  const { sessions: here } = await countImported(db);
  const there = await peer.countSessions();
  if (2 * there >= here) return;
  throw new Error(
    `${here} sessions that were imported earlier are here, and only ${there} are there. Is it the database they came from? ` +
      'With --end-missing, those that have ended there end here.',
  );
}

async function verifyMove(args: CommandArguments, io: CommandIo, given: string): Promise<number> {
  const sample = Number((args.values['sample'] as string | undefined) ?? '1000');
  if (!Number.isSafeInteger(sample) || sample < 1) {
    io.err('latchkey users import: --sample must be a whole number, e.g. 1000\n');
    return EXIT.wrongUsage;
  }
  const peer = await openSupabaseAuth(readPeerUrl(given, io), (args.values['schema'] as string | undefined) ?? 'auth');
  try {
    if (!(await peer.hasSessions()))
      throw new Error('--verify needs the tables sessions, refresh_tokens and mfa_amr_claims');
    const comparison = await withDatabase(args, io, (db, config) =>
      compareSides({ db, peer, keys: deriveKeys(config), defaults: defaultsOf(config) }, sample, (line) =>
        io.err(`${line}\n`),
      ),
    );
    io.out(reportComparison(comparison, args.values['json'] === true));
    return comparison.accounts.different + comparison.sessions.different === 0 ? EXIT.ok : EXIT.failed;
  } finally {
    await peer.close();
  }
}

const defaultsOf = (config: Config): RowDefaults => ({
  audience: config.jwtAudience,
  role: config.jwtDefaultGroupName.trim(),
  now: new Date().toISOString(),
});

interface Target {
  readonly db: Database;
  readonly config: Config;
  readonly defaults: RowDefaults;
}

async function perform(
  args: CommandArguments,
  io: CommandIo,
  files: { source: string; bookmarkFile: string; refusedFile: string },
  openStages: (target: Target) => Promise<RunnableStage[]>,
): Promise<StageCounts> {
  const resumed = readBookmark(files.bookmarkFile, files.source);
  if (resumed !== null) io.err(`Going on after ${resumed.line} ${resumed.stage}, as ${files.bookmarkFile} says.\n`);
  return withDatabase(args, io, async (db, config) => {
    const counts = await runImport({
      stages: await openStages({ db, config, defaults: defaultsOf(config) }),
      ...files,
      resumed,
      progress: openProgress(io),
      onRefused: (stage, line, reason) =>
        io.err(
          `${io.isTerminal === true ? '\r\u001b[K' : ''}${stage === 'accounts' ? 'row' : 'session'} ${line}: ${reason}\n`,
        ),
    });
    if (counts.accounts.refused + counts.sessions.refused > 0) {
      io.err(`The refused rows are in ${resolve(files.refusedFile)}.\n`);
    }
    return counts;
  });
}
