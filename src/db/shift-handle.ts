import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type pg from 'pg';
import { checksumOf } from './migration-files.js';
import { applyPrefix } from './statements.js';

/**
 * The part of postgres.js that postgres-shift uses: a tagged template, `.file(path)` and `.begin(work)`. Here it is
 * implemented by a `pg.Client`, inside a transaction that the caller opens and ends.
 */
export interface ShiftHandle {
  (parts: TemplateStringsArray, ...values: readonly unknown[]): Promise<unknown[]>;
  file(path: string): Promise<void>;
  begin(work: (sql: ShiftHandle) => Promise<void>): Promise<void>;
}

/** The four statements of postgres-shift 1.0.2, in normalised white space; test/db/migrate.test.ts compares them. */
export const shiftStatements = {
  ledgerExists: "select 'migrations'::regclass",
  createLedger:
    'create table migrations ( migration_id serial primary key, created_at timestamp with time zone not null default now(), name text )',
  latest: 'select migration_id as id from migrations order by migration_id desc limit 1',
  record: 'insert into migrations ( migration_id, name ) values ( $1, $2 )',
} as const;

/**
 * Creates a handle for postgres-shift. Its statements are replaced by our own: the ledger has the prefix and a
 * checksum, and the check whether it exists must not fail, which would end the transaction.
 * @throws (from the handle) Error for an unknown statement
 */
export function createShiftHandle(client: pg.ClientBase, prefix: string): ShiftHandle {
  const run = async (sql: string, values: unknown[] = []): Promise<Record<string, unknown>[]> =>
    (await client.query(applyPrefix(sql, prefix), values)).rows;
  let lastFile: { name: string; checksum: string } | undefined;

  const handle = async (parts: TemplateStringsArray, ...values: readonly unknown[]): Promise<unknown[]> => {
    const statement = foldSpace(parts.reduce((text, part, index) => `${text}$${index}${part}`));
    switch (statement) {
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
        throw new Error(`postgres-shift sent a statement this version does not know: ${statement}`);
    }
  };

  const shiftHandle: ShiftHandle = Object.assign(handle, {
    file: async (path: string): Promise<void> => {
      const text = readFileSync(path, 'utf8');
      // Without values pg uses the simple protocol, which accepts several statements.
      await client.query(applyPrefix(text, prefix));
      lastFile = { name: basename(path), checksum: checksumOf(text) };
    },
    begin: (work: (sql: ShiftHandle) => Promise<void>): Promise<void> => work(shiftHandle),
  });
  return shiftHandle;
}

function foldSpace(text: string): string {
  return text.trim().replace(/\s+/g, ' ');
}
