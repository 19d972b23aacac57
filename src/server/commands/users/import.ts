import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { describePlace } from '../../../db/diagnose.js';
import { openPeer } from '../../../db/peer.js';
import { withDatabase } from '../database.js';
import { type Command, type CommandArguments, type CommandIo, EXIT } from '../types.js';
import { type Bookmark, type Counts, readBookmark } from './bookmark.js';
import { openProgress } from './progress.js';
import type { RowDefaults } from './rows.js';
import { runImport, type SourceRow } from './run-import.js';
import { rowsOfFile, rowsOfPeer } from './sources.js';

export const importUsersCommand: Command = {
  summary: 'Bring accounts from a file, or from the database of a supabase/auth server',
  help: `Reads accounts from FILE, one JSON object a line (docs/moving-in.md has the fields), or straight from the tables
auth.users and auth.identities of the other server, which it only reads. Accounts whose id is known already are skipped,
so an import may be run again, and a run that was interrupted goes on where it stopped. Rows that cannot be taken are
told with their line and the reason, and written as they are to a file beside the input. Exits with 1 when there are any.`,
  options: {
    'from-gotrue': {
      type: 'string',
      argument: 'DATABASE_URL',
      doc: 'read from this database; env:NAME takes the URL from the variable NAME, which keeps it out of the process list',
    },
    schema: { type: 'string', argument: 'NAME', doc: 'schema of the tables of --from-gotrue (default: auth)' },
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
    const startMs = performance.now();
    const counts = file === undefined ? await importFromPeer(args, io, peer!) : await importFile(args, io, file);
    const seconds = (performance.now() - startMs) / 1000;
    io.out(args.values['json'] === true ? `${JSON.stringify({ ...counts, seconds })}\n` : report(counts, seconds));
    return counts.refused === 0 ? EXIT.ok : EXIT.failed;
  },
};

const report = ({ imported, skipped, refused }: Counts, seconds: number): string =>
  `imported ${imported}\nskipped  ${skipped} (already there, or deleted where they come from)\nrefused  ${refused}\n` +
  `in ${seconds.toFixed(1)} s\n`;

async function importFile(args: CommandArguments, io: CommandIo, file: string): Promise<Counts> {
  const { size } = statSync(file);
  const source = `file ${basename(file)} of ${size} bytes`;
  const bookmarkFile = (args.values['bookmark'] as string | undefined) ?? `${file}.bookmark`;
  const refusedFile = `${file.replace(/\.(ndjson|jsonl|json)$/, '')}.refused.ndjson`;
  return perform(args, io, { source, bookmarkFile, refusedFile }, (defaults, resumed) =>
    rowsOfFile(file, size, resumed, defaults),
  );
}

async function importFromPeer(args: CommandArguments, io: CommandIo, given: string): Promise<Counts> {
  const name = /^env:(\w+)$/.exec(given)?.[1];
  const url = name === undefined ? given : io.environment[name];
  if (!url) throw new Error(`the variable ${name} is not set`);
  const schema = (args.values['schema'] as string | undefined) ?? 'auth';
  const peer = await openPeer(url, schema);
  try {
    const source = `${describePlace(url)}, schema ${schema}`;
    const bookmarkFile = (args.values['bookmark'] as string | undefined) ?? 'gotrue-import.bookmark';
    const refusedFile = `${bookmarkFile.replace(/\.bookmark$/, '')}.refused.ndjson`;
    return await perform(args, io, { source, bookmarkFile, refusedFile }, (defaults, resumed) =>
      rowsOfPeer(peer, resumed, defaults),
    );
  } finally {
    await peer.close();
  }
}

async function perform(
  args: CommandArguments,
  io: CommandIo,
  files: { source: string; bookmarkFile: string; refusedFile: string },
  openRows: (defaults: RowDefaults, resumed: Bookmark | null) => AsyncIterable<SourceRow>,
): Promise<Counts> {
  const resumed = readBookmark(files.bookmarkFile, files.source);
  if (resumed !== null) io.err(`Going on after ${resumed.line} rows, as ${files.bookmarkFile} says.\n`);
  return withDatabase(args, io, async (db, config) => {
    const defaults = {
      audience: config.jwtAudience,
      role: config.jwtDefaultGroupName.trim(),
      now: new Date().toISOString(),
    };
    const counts = await runImport({
      db,
      rows: openRows(defaults, resumed),
      ...files,
      resumed,
      progress: openProgress(io),
      onRefused: (line, reason) => io.err(`${io.isTerminal === true ? '\r\u001b[K' : ''}row ${line}: ${reason}\n`),
    });
    if (counts.refused > 0) io.err(`The refused rows are in ${resolve(files.refusedFile)}.\n`);
    return counts;
  });
}
