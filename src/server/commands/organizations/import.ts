import { statSync } from 'node:fs';
import { countWithoutOwner } from '../../../db/organization-transfer.js';
import { withOrigin } from '../../../db/origin.js';
import { withDatabase } from '../../cli/database.js';
import { type Command, type CommandArguments, type CommandIo, EXIT } from '../../cli/types.js';
import { type RawRecord, readRecords, readRecordsOf } from '../../importing/records.js';
import { openProgress } from '../users/progress.js';
import { type ImportedLines, importLines } from './import-lines.js';
import { openLineStore } from './store-lines.js';
import { lineTypes } from './transfer-lines.js';

export const importOrganizationsCommand: Command = {
  summary: 'Import organizations, their members and roles from a file',
  help: `Reads FILE (-: standard input), one JSON object a line, as latchkey organizations export writes it (docs/organizations.md lists
the fields): roles, then organizations, then members, whose accounts are there already. What is there stays as it is, so an
import that was interrupted is run again. Limits of AUTH_ORGANIZATIONS_… do not hold, and there are no events. Lines that are
refused are reported with the reason; exits with 1 if there are any.`,
  options: {
    'dry-run': { type: 'boolean', doc: 'store nothing, and say what would become of each line' },
    'from-line': { type: 'string', argument: 'NUMBER', doc: 'go on with this line: those before count as done' },
    json: { type: 'boolean', doc: 'print the report as one JSON object' },
  },
  positionals: ['FILE'],
  run: async (args, io) => {
    const [file] = args.positionals;
    const fromLine = Number((args.values['from-line'] as string | undefined) ?? '1');
    const fault =
      file === undefined
        ? 'give a FILE, or - for standard input'
        : Number.isSafeInteger(fromLine) && fromLine >= 1
          ? null
          : '--from-line must be the number of a line, from 1';
    if (fault !== null) {
      io.err(`latchkey organizations import: ${fault}\n`);
      return EXIT.wrongUsage;
    }
    const startMs = performance.now();
    const { counts, ownerless } = await runImport(args, io, file!, fromLine);
    const seconds = (performance.now() - startMs) / 1000;
    io.out(args.values['json'] === true ? `${JSON.stringify({ ...counts, seconds })}\n` : report(counts, seconds));
    if (ownerless > 0) {
      io.err(`${ownerless} organizations have no owner: POST /admin/organizations/{id}/members adds one.\n`);
    }
    const isRefused = counts.unreadable > 0 || lineTypes.some((type) => counts[type].refused > 0);
    return isRefused ? EXIT.failed : EXIT.ok;
  },
};

async function runImport(
  args: CommandArguments,
  io: CommandIo,
  file: string,
  fromLine: number,
): Promise<{ counts: ImportedLines; ownerless: number }> {
  const isDry = args.values['dry-run'] === true;
  const { records, size } = openLines(file, io);
  const progress = openProgress(io);
  let done = fromLine - 1;
  return withDatabase(args, io, async (db) => {
    try {
      // Moving in causes no events.
      const counts = await withOrigin({ mute: true }, async () =>
        importLines(records, await openLineStore(db, isDry), fromLine, {
          onBatch: (line, offset) => {
            done = line;
            progress.show(size === null ? null : offset / Math.max(1, size), 'lines', { imported: line });
          },
          onRefused: (line, reason) => io.err(`${io.isTerminal === true ? '\r\u001b[K' : ''}line ${line}: ${reason}\n`),
        }),
      );
      return { counts, ownerless: isDry ? 0 : await countWithoutOwner(db) };
    } catch (error) {
      progress.end();
      io.err(`Stopped after line ${done}. Run it again, as it was or with --from-line=${done + 1}.\n`);
      throw error;
    } finally {
      progress.end();
    }
  });
}

/** @throws Error when the file is missing */
function openLines(file: string, io: CommandIo): { records: AsyncIterable<RawRecord>; size: number | null } {
  const format = { delimiter: null };
  if (file !== '-') return { records: readRecords(file, format), size: statSync(file).size };
  if (io.input === undefined) throw new Error('there is no standard input');
  return { records: readRecordsOf(io.input, format), size: null };
}

function report(counts: ImportedLines, seconds: number): string {
  const rows = lineTypes.map((type) => {
    const { imported, skipped, refused } = counts[type];
    const columns = [imported, skipped, refused].map((count) => String(count).padStart(9));
    return `${`${type}s`.padEnd(13)}${columns.join('')}\n`;
  });
  const head = ['imported', 'there', 'refused'].map((name) => name.padStart(9)).join('');
  const unreadable = counts.unreadable === 0 ? '' : `unreadable lines: ${counts.unreadable}\n`;
  return `${' '.repeat(13)}${head}\n${rows.join('')}${unreadable}in ${seconds.toFixed(1)} s\n`;
}
