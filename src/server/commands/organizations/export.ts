import { readOrganizationRoles } from '../../../db/organization-roles.js';
import {
  countForExport,
  type ExportedMember,
  readMembersById,
  readOrganizationsById,
} from '../../../db/organization-transfer.js';
import type { Database } from '../../../db/types.js';
import { withDatabase } from '../../cli/database.js';
import { openOutput } from '../../cli/output-file.js';
import { type Command, EXIT } from '../../cli/types.js';
import { openProgress, type Progress } from '../users/progress.js';
import type { LineType } from './transfer-lines.js';

/** Rows of one statement. */
const PAGE = 1000;

export const exportOrganizationsCommand: Command = {
  summary: 'Write organizations, their members and roles to a file',
  help: `Writes roles, organizations and members to FILE (-, the default: standard output), one JSON object a line, as latchkey
organizations import reads it. Members are named by the ids of their accounts, which move with latchkey users export. Invitations
and domains are left out.`,
  options: {},
  positionals: ['[FILE]'],
  run: async (args, io) => {
    const counts = await withDatabase(args, io, async (db) => {
      const out = openOutput(args.positionals[0] ?? '-', io);
      const progress = openProgress(io);
      try {
        return await writeLines(db, progress, (type, rows) =>
          out.write(rows.map((row) => `${JSON.stringify({ type, ...row })}\n`).join('')),
        );
      } finally {
        progress.end();
        out.close();
      }
    });
    io.err(`exported ${counts.role} roles, ${counts.organization} organizations, ${counts.member} members\n`);
    return EXIT.ok;
  },
};

async function writeLines(
  db: Database,
  progress: Progress,
  write: (type: LineType, rows: readonly object[]) => void,
): Promise<Record<LineType, number>> {
  const { organizations, members } = await countForExport(db);
  const written = { role: 0, organization: 0, member: 0 };
  const add = (type: LineType, rows: readonly object[]): void => {
    write(type, rows);
    written[type] += rows.length;
    const lines = written.role + written.organization + written.member;
    progress.show(Math.min(1, lines / Math.max(1, organizations + members)), 'lines', { imported: lines });
  };
  const roles = await readOrganizationRoles(db);
  add(
    'role',
    roles.map(({ name, description, permissions }) => ({ name, description, permissions })),
  );
  for (let after: string | null = null; ; ) {
    const page = await readOrganizationsById(db, after, PAGE);
    add('organization', page);
    if (page.length < PAGE) break;
    after = page.at(-1)!.id;
  }
  for (let after: ExportedMember | null = null; ; ) {
    const page: ExportedMember[] = await readMembersById(db, after, PAGE);
    add('member', page);
    if (page.length < PAGE) return written;
    after = page.at(-1)!;
  }
}
