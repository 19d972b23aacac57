/** What is in the application's schema, and bringing the mirror up to date (sql/app-schema/check.sql). */
import type pg from 'pg';
import { appSchemaFunctions, renderAppSchema } from './app-schema.js';
import { Connection, clientConfig } from './connection.js';
import { DatabaseUnavailableError, isConnectionFailure } from './errors.js';
import { parseStatements } from './statements.js';

export interface AppSchemaTrigger {
  readonly name: string;
  readonly table_name: string;
  readonly function_name: string;
  readonly is_on: boolean;
  readonly definition: string;
}

export interface AppSchemaKey {
  readonly table_name: string;
  readonly name: string;
  /** cascade, set null, set default or refuses */
  readonly on_delete: string;
}

export interface AppSchemaState {
  readonly relations: readonly { name: string; kind: string; owner: string; is_own: boolean }[];
  readonly triggers: readonly AppSchemaTrigger[];
  readonly foreignKeys: readonly AppSchemaKey[];
  readonly missingFunctions: readonly string[];
  /** Of the mirror: dropped, or disabled. */
  readonly missingTriggers: readonly { name: string; table_name: string }[];
  /** There, with another body than ours. */
  readonly otherFunctions: readonly string[];
  readonly counts: { accounts: number; mirrored: number; identities: number; mirrored_identities: number };
  /** Accounts and identities that the mirror lacks or has otherwise. */
  readonly lacking: { readonly users: number; readonly identities: number };
  /** Rows that no account stands for, and the ids of the first. */
  readonly strange: { readonly count: number; readonly ids: readonly string[] };
  /** Rows with a secret of the other server. */
  readonly secrets: number;
  /** Roles of requests that may read our own tables. */
  readonly exposedTo: readonly string[];
}

export interface AppSchemaCheck {
  /** False before `latchkey migrate`: nothing else can be asked then. */
  isMade(): Promise<boolean>;
  read(): Promise<AppSchemaState>;
  /** Writes what the mirror lacks, each batch in a transaction. @returns how many rows */
  repair(onProgress: (done: number) => void): Promise<number>;
  /**
   * Ends a move: empties the secrets of the other server, and puts the view of sessions in the place of its table.
   * @throws the pg error where the role has no right to
   */
  finish(): Promise<void>;
  close(): Promise<void>;
}

const AT_A_TIME = 1000;

/** @throws DatabaseUnavailableError */
export async function openAppSchemaCheck(url: string, prefix: string, schema: string): Promise<AppSchemaCheck> {
  const text = renderAppSchema('check', prefix, { schema, takesInserts: false });
  const statements = new Map(
    parseStatements(text, 'check', prefix).map((one) => [one.key.slice('check.'.length), one]),
  );
  const client: pg.Client = new Connection(
    clientConfig({ url, connectTimeoutMs: 5000, statementTimeoutMs: 0, sendsTimeouts: false }),
  );
  client.on('error', () => undefined);
  await client.connect().catch((error: unknown) => {
    throw new DatabaseUnavailableError(error);
  });
  const run = async <Row extends pg.QueryResultRow>(name: string, values: unknown[] = []): Promise<Row[]> => {
    try {
      return (await client.query<Row>(statements.get(name)!.text, values)).rows;
    } catch (error) {
      throw isConnectionFailure(error) ? new DatabaseUnavailableError(error) : error;
    }
  };

  async function eachLacking(kind: 'users' | 'identities', work: (ids: string[]) => Promise<unknown>): Promise<number> {
    let count = 0;
    for (let after: string | null = null; ; ) {
      const rows: { id: string }[] = await run(`lacking_${kind}`, [after, AT_A_TIME]);
      if (rows.length === 0) return count;
      count += rows.length;
      after = rows.at(-1)!.id;
      await work(rows.map(({ id }) => id));
    }
  }

  return {
    isMade: async () => (await run<{ is_made: boolean }>('made'))[0]!.is_made,
    async read() {
      const found = await run<{ name: string; body: string | null }>('functions');
      const ours = appSchemaFunctions(schema);
      const [counts] = await run<AppSchemaState['counts']>('counts');
      const strange = await run<{ id: string }>('strange_users');
      const [strangeCount] = await run<{ count: number }>('strange_users_count');
      const [secrets] = await run<{ count: number }>('secrets');
      return {
        relations: await run('relations'),
        triggers: await run('triggers'),
        foreignKeys: await run('foreign_keys'),
        missingFunctions: found.filter(({ body }) => body === null).map(({ name }) => name),
        missingTriggers: await run('missing_triggers'),
        otherFunctions: found
          .filter(({ name, body }) => body !== null && !folded(ours.get(name) ?? '').includes(folded(body)))
          .map(({ name }) => name),
        counts: counts!,
        lacking: {
          users: await eachLacking('users', async () => undefined),
          identities: await eachLacking('identities', async () => undefined),
        },
        strange: { count: strangeCount!.count, ids: strange.map(({ id }) => id) },
        secrets: secrets!.count,
        exposedTo: (await run<{ name: string }>('exposed')).map(({ name }) => name),
      };
    },
    async repair(onProgress) {
      let done = 0;
      for (const kind of ['users', 'identities'] as const) {
        await eachLacking(kind, async (ids) => {
          await run(`mirror_${kind}`, [ids]);
          done += ids.length;
          onProgress(done);
        });
      }
      return done;
    },
    async finish() {
      const files = ['finish', 'sessions'].map((file) =>
        renderAppSchema(file, prefix, { schema, takesInserts: false }),
      );
      // One message is one transaction.
      await client.query(files.join('\n'));
    },
    close: () => client.end(),
  };
}

const folded = (text: string): string => text.replace(/\s+/g, ' ').trim();
