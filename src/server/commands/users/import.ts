import { resolve } from 'node:path';
import { describePlace } from '../../../db/diagnose.js';
import { withOrigin } from '../../../db/origin.js';
import { openSupabaseAuth, type SupabaseAuthReader } from '../../../db/supabase-auth.js';
import type { StayingRows } from '../../../db/supabase-auth-oauth.js';
import { withDatabase } from '../../cli/database.js';
import { type Command, type CommandArguments, type CommandIo, EXIT } from '../../cli/types.js';
import type { Config } from '../../config/settings.js';
import { createSecretBox } from '../../factors/secret-box.js';
import { accountStage } from '../../importing/account-stage.js';
import { countRefused, type StageCounts, type StageName } from '../../importing/counts.js';
import { openRowIds } from '../../importing/file-rows.js';
import type { RowDefaults } from '../../importing/rows.js';
import { readBookmark } from './bookmark.js';
import { finishMove } from './finish.js';
import { openImportFile } from './import-file.js';
import { openImportKeys } from './import-keys.js';
import { type ImportTarget, openPeerStages } from './peer-stages.js';
import { openProgress } from './progress.js';
import { reportComparison, reportFile, reportPeer } from './report.js';
import { type RunnableStage, runImport, runnable } from './run-import.js';
import { rowsOfFile } from './sources.js';
import { compareSides } from './verify.js';

export const importUsersCommand: Command = {
  summary: 'Import accounts from a file, or all that users sign in with from the database of a supabase/auth server',
  help: `Reads accounts from FILE, CSV or one JSON object per line (docs/moving-in/from-a-file.md lists the fields), or accounts, second factors,
passkeys, custom providers, SSO providers, OAuth clients, consents, sessions and refresh tokens from the tables of the other server, without changing them. An interrupted import
continues where it stopped. Accounts of a file whose id exists are skipped. A later --from-gotrue brings what has changed there since; what has
changed here meanwhile stays. Rows that are refused are reported with the reason, and written to a file next to the
input. Exits with 1 if there are any.`,
  options: {
    'from-gotrue': {
      type: 'string',
      argument: 'DATABASE_URL',
      doc: 'read from this database; env:NAME takes the URL from the variable NAME, which keeps it out of the process list',
    },
    schema: { type: 'string', argument: 'NAME', doc: 'schema of the tables of --from-gotrue (default: auth)' },
    'no-sessions': { type: 'boolean', doc: 'with --from-gotrue, no sessions: every user signs in once' },
    'end-missing': {
      type: 'boolean',
      doc: 'with --from-gotrue, go on although most of the sessions or factors imported earlier are no longer there',
    },
    verify: {
      type: 'boolean',
      doc: 'with --from-gotrue, import nothing: count both sides, compare a sample, print the differences',
    },
    sample: { type: 'string', argument: 'ROWS', doc: 'rows of each kind that --verify compares (default: 1000)' },
    finish: {
      type: 'boolean',
      doc: 'end a move within one database (AUTH_DB_APP_SCHEMA): empty the secrets that the other server has left in its tables',
    },
    format: {
      type: 'string',
      argument: 'csv|ndjson',
      doc: 'of FILE (default: csv for .csv and .tsv, otherwise ndjson)',
    },
    columns: {
      type: 'string',
      argument: 'NAME=FIELD,…',
      doc: 'what the columns of CSV become, and the others are left out (default: by their names), e.g. Mail=email,City=user_metadata.city',
    },
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
    if (args.values['finish'] === true) {
      if (file === undefined && peer === undefined) return finishMove(args, io);
      io.err('latchkey users import: --finish takes no FILE and no --from-gotrue: it reads AUTH_DB_APP_SCHEMA\n');
      return EXIT.wrongUsage;
    }
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
    const isJson = args.values['json'] === true;
    const secondsSince = (): number => (performance.now() - startMs) / 1000;
    const { counts, report } = await withOrigin({ mute: true }, async () => {
      if (file === undefined) {
        const { counts, staying } = await importFromPeer(args, io, peer!);
        return { counts, report: reportPeer(counts, staying, secondsSince(), isJson) };
      }
      const counts = await importFile(args, io, file);
      return { counts, report: reportFile(counts, secondsSince(), isJson) };
    });
    io.out(report);
    return countRefused(counts) === 0 ? EXIT.ok : EXIT.failed;
  },
};

async function importFile(args: CommandArguments, io: CommandIo, file: string): Promise<StageCounts> {
  const opened = openImportFile(args, io, file);
  const { size, source, refusedFile, refusedHead } = opened;
  const bookmarkFile = (args.values['bookmark'] as string | undefined) ?? `${file}.bookmark`;
  return perform(args, io, { source, bookmarkFile, refusedFile, refusedHead }, async ({ db, config, defaults }) => {
    const rules = { ...defaults, makeRowId: openRowIds(config) };
    return [runnable(accountStage(db, (from) => rowsOfFile(file, size, opened, from, rules)))];
  });
}

/** @throws Error when the variable of `env:NAME` is not set */
function readPeerUrl(given: string, io: Pick<CommandIo, 'environment'>): string {
  const name = /^env:(\w+)$/.exec(given)?.[1];
  const url = name === undefined ? given : io.environment[name];
  if (!url) throw new Error(`the variable ${name} is not set`);
  return url;
}

async function importFromPeer(
  args: CommandArguments,
  io: CommandIo,
  given: string,
): Promise<{ counts: StageCounts; staying: StayingRows }> {
  const url = readPeerUrl(given, io);
  const schema = (args.values['schema'] as string | undefined) ?? 'auth';
  const peer = await openSupabaseAuth(url, schema);
  try {
    const source = `${describePlace(url)}, schema ${schema}`;
    const bookmarkFile = (args.values['bookmark'] as string | undefined) ?? 'gotrue-import.bookmark';
    const refusedFile = `${bookmarkFile.replace(/\.bookmark$/, '')}.refused.ndjson`;
    const counts = await perform(args, io, { source, bookmarkFile, refusedFile }, async (target) => {
      if (target.config.dbAppSchema === '') await nameApplication(peer, schema, io);
      return openPeerStages(target, peer, io, {
        wantsSessions: args.values['no-sessions'] !== true,
        mayEnd: args.values['end-missing'] === true,
      });
    });
    return { counts, staying: await peer.countStaying() };
  } finally {
    await peer.close();
  }
}

/** Its foreign keys and triggers would wait for rows that no longer come. */
async function nameApplication(peer: SupabaseAuthReader, schema: string, io: CommandIo): Promise<void> {
  const { foreignKeys, triggers } = await peer.findApplication();
  if (foreignKeys + triggers === 0) return;
  io.err(
    `An application has ${foreignKeys} foreign keys and ${triggers} triggers on the accounts in ${schema}: AUTH_DB_APP_SCHEMA=${schema} keeps them working (docs/application-database.md).\n`,
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
    const comparison = await withDatabase(args, io, (db, config) => {
      const sides = { db, peer, config, keys: openImportKeys(config), defaults: defaultsOf(config) };
      return compareSides(sides, sample, (line) => io.err(`${line}\n`));
    });
    io.out(reportComparison(comparison, args.values['json'] === true));
    const { totals: _, ...kinds } = comparison;
    return Object.values(kinds).every(({ different }) => different === 0) ? EXIT.ok : EXIT.failed;
  } finally {
    await peer.close();
  }
}

const defaultsOf = (config: Config): RowDefaults => ({
  audience: config.jwtAudience,
  role: config.jwtDefaultGroupName.trim(),
  now: new Date().toISOString(),
  secrets: createSecretBox(config),
});

/** Rows of files have no id. Factors are named by theirs, so that an operator finds their users. */
function nameRow(stage: StageName, line: number, place: string): string {
  if (stage === 'accounts') return `row ${line}`;
  return stage === 'sessions' ? `session ${line}` : `${stage.slice(0, -1).replace('_', ' ')} ${place}`;
}

async function perform(
  args: CommandArguments,
  io: CommandIo,
  files: { source: string; bookmarkFile: string; refusedFile: string; refusedHead?: string },
  openStages: (target: ImportTarget) => Promise<RunnableStage[]>,
): Promise<StageCounts> {
  const resumed = readBookmark(files.bookmarkFile, files.source);
  if (resumed !== null) io.err(`Going on after ${resumed.line} ${resumed.stage}, as ${files.bookmarkFile} says.\n`);
  return withDatabase(args, io, async (db, config) => {
    const counts = await runImport({
      stages: await openStages({ db, config, defaults: defaultsOf(config) }),
      ...files,
      resumed,
      progress: openProgress(io),
      onRefused: (stage, line, place, reason) =>
        io.err(`${io.isTerminal === true ? '\r\u001b[K' : ''}${nameRow(stage, line, place)}: ${reason}\n`),
    });
    if (countRefused(counts) > 0) {
      io.err(`The refused rows are in ${resolve(files.refusedFile)}.\n`);
    }
    return counts;
  });
}
