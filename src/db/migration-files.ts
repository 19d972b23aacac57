import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface MigrationFile {
  /** From the five digits the name begins with. */
  readonly id: number;
  readonly file: string;
  readonly checksum: string;
}

/** A row of the ledger. */
export interface AppliedMigration {
  readonly migration_id: number;
  readonly file: string;
  readonly checksum: string;
}

/** An applied migration is no longer what its file says (REL-07). */
export class MigrationChangedError extends Error {
  constructor(readonly file: string) {
    super(
      `The migration ${file} was changed after it had been applied to this database. Put the released file back; a correction belongs in a new file with the next number.`,
    );
    this.name = 'MigrationChangedError';
  }
}

export const ownMigrationsDirectory = fileURLToPath(new URL('../../../sql/migrations/', import.meta.url));

/** SHA-256 of a file's text, line endings folded: a checkout on Windows is not another migration. */
export function checksumOf(text: string): string {
  return createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex');
}

/**
 * @param directory of files named `00001_what_it_does.sql`
 * @returns in order of their numbers
 * @throws when there is none
 */
export function readMigrationFiles(directory: string): MigrationFile[] {
  const files = readdirSync(directory)
    .filter((name) => /^\d{5}_.*\.sql$/.test(name))
    .sort();
  if (files.length === 0) throw new Error(`There are no migrations in ${directory}: the installation is incomplete.`);
  return files.map((file) => ({
    id: Number(file.slice(0, 5)),
    file,
    checksum: checksumOf(readFileSync(join(directory, file), 'utf8')),
  }));
}

/**
 * Compares what was applied with the files.
 * A ledger that knows more than the files is fine: a newer release runs beside this one (REL-08).
 * @returns the files still to apply
 * @throws MigrationChangedError; Error when a file was slipped in below an applied one
 */
export function findPending(files: readonly MigrationFile[], applied: readonly AppliedMigration[]): MigrationFile[] {
  const checksums = new Map(applied.map((row) => [row.migration_id, row.checksum]));
  for (const { id, file, checksum } of files) {
    const known = checksums.get(id);
    if (known !== undefined && known !== checksum) throw new MigrationChangedError(file);
  }
  const newest = Math.max(0, ...checksums.keys());
  const pending = files.filter(({ id }) => !checksums.has(id));
  const late = pending.find(({ id }) => id < newest);
  // postgres-shift goes on from the highest number: such a file would never run, and nobody would be told.
  if (late !== undefined)
    throw new Error(`The migration ${late.file} came after ${newest} had been applied; renumber it.`);
  return pending;
}
