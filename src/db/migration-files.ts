import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface MigrationFile {
  /** The five digits at the start of the name. */
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

/** The file of an applied migration has changed (REL-07). */
export class MigrationChangedError extends Error {
  readonly file: string;

  constructor(file: string) {
    super(
      `The migration ${file} was changed after it had been applied to this database. Put the released file back; a correction belongs in a new file with the next number.`,
    );
    this.file = file;
    this.name = 'MigrationChangedError';
  }
}

export const ownMigrationsDirectory = fileURLToPath(new URL('../../../sql/migrations/', import.meta.url));

/** SHA-256 of a file's text with LF line endings, so that a checkout on Windows is the same migration. */
export function checksumOf(text: string): string {
  return createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex');
}

let ownFiles: readonly MigrationFile[] | undefined;

/**
 * Those of this package are read once a process.
 * @param directory of files named `00001_what_it_does.sql`
 * @returns the files in order
 * @throws Error when there is none
 */
export function readMigrationFiles(directory: string): readonly MigrationFile[] {
  if (directory !== ownMigrationsDirectory) return readFiles(directory);
  ownFiles ??= readFiles(directory);
  return ownFiles;
}

function readFiles(directory: string): readonly MigrationFile[] {
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
 * Compares the ledger with the files. Further entries in the ledger are fine: a newer release runs too (REL-08).
 * @returns the files to apply
 * @throws MigrationChangedError, or Error when a file was added below an applied one
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
  // postgres-shift continues from the highest number, so such a file would silently never run.
  if (late !== undefined)
    throw new Error(`The migration ${late.file} came after ${newest} had been applied; renumber it.`);
  return pending;
}
