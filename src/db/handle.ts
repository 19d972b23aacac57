import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type pg from 'pg';
import { checksumOf } from './migration-files.js';
import { applyPrefix } from './statements.js';

/**
 * The small handle postgres-shift works through: a tagged template, `.file(path)` and `.begin(work)`. It is made for
 * postgres.js; here a `pg.Client` wears it, inside a transaction the caller has opened and will end.
 */
export interface ShiftHandle {
  (parts: TemplateStringsArray, ...values: readonly unknown[]): Promise<unknown[]>;
  file(path: string): Promise<void>;
  begin(work: (sql: ShiftHandle) => Promise<void>): Promise<void>;
}

/** The four statements of postgres-shift 1.0.2, white space folded; test/db/migrate.test.ts compares them with its source. */
export const shiftStatements = {
  ledgerExists: "select 'migrations'::regclass",
  createLedger:
    'create table migrations ( migration_id serial primary key, created_at timestamp with time zone not null default now(), name text )',
  latest: 'select migration_id as id from migrations order by migration_id desc limit 1',
  record: 'insert into migrations ( migration_id, name ) values ( $1, $2 )',
} as const;

/**
 * Dresses a client for postgres-shift. Its statements are recognised and answered with our own: the ledger carries the
 * prefix and a checksum, and asking whether it exists must not fail, which would end the transaction.
 * @throws (from the handle) on a statement it does not know
 */
export function dressForShift(client: pg.ClientBase, prefix: string): ShiftHandle {
  const run = async (sql: string, values: unknown[] = []): Promise<Record<string, unknown>[]> =>
    (await client.query(applyPrefix(sql, prefix), values)).rows;
  let lastFile: { name: string; checksum: string } | undefined;

  const handle = async (parts: TemplateStringsArray, ...values: readonly unknown[]): Promise<unknown[]> => {
    const asked = foldSpace(parts.reduce((text, part, index) => `${text}$${index}${part}`));
    switch (asked) {
      case shiftStatements.ledgerExists: {
        const rows = await run(`select to_regclass('/*p*/migrations') as ledger`);
        if (rows[0]?.['ledger'] === null) throw new Error('no ledger yet');
        return rows;
      }
      case shiftStatements.createLedger:
        return run(`
          create table /*p*/migrations (
            migration_id integer primary key,
            name text not null,
            file text not null,
            checksum text not null,
            created_at timestamptz not null default now()
          )`);
      case shiftStatements.latest:
        return run('select migration_id as id from /*p*/migrations order by migration_id desc limit 1');
      case shiftStatements.record:
        if (lastFile === undefined) throw new Error('postgres-shift records a migration it has not run');
        return run('insert into /*p*/migrations (migration_id, name, file, checksum) values ($1, $2, $3, $4)', [
          ...values,
          lastFile.name,
          lastFile.checksum,
        ]);
      default:
        throw new Error(`postgres-shift sent a statement this version does not know: ${asked}`);
    }
  };

  const dressed: ShiftHandle = Object.assign(handle, {
    file: async (path: string): Promise<void> => {
      const text = readFileSync(path, 'utf8');
      // No values: the simple protocol, which takes a whole file of statements.
      await client.query(applyPrefix(text, prefix));
      lastFile = { name: basename(path), checksum: checksumOf(text) };
    },
    begin: (work: (sql: ShiftHandle) => Promise<void>): Promise<void> => work(dressed),
  });
  return dressed;
}

function foldSpace(text: string): string {
  return text.trim().replace(/\s+/g, ' ');
}
