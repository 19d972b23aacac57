/** Rate limits on a test database, with fabricated requests. */

import { openDatabase } from '../../src/db/pool.js';
import { loadConfig } from '../../src/server/config/load.js';
import { ApiError } from '../../src/server/errors.js';
import type { Limits } from '../../src/server/guards/contract.js';
import { openLimits } from '../../src/server/guards/limits.js';
import type { ApiRequest } from '../../src/server/http/types.js';
import { createTestDatabase, type TestDatabase } from './database.js';
import { testEnvironment } from './server.js';
import { silentLog } from './sql-files.js';
import type { Test } from './tap.js';

export interface TestLimits {
  readonly limits: Limits;
  readonly database: TestDatabase;
  readonly warnings: string[];
  /** Statements run so far. */
  statements(): number;
  /**
   * Limits as another process has them: own memory and own connections.
   * @param url of something between it and the database
   */
  another(url?: string): Limits;
  /** Lets time pass for every counter in the database. */
  age(seconds: number): Promise<unknown>;
}

export async function openTestLimits(t: Test, settings: Record<string, string> = {}): Promise<TestLimits> {
  const database = await createTestDatabase(t);
  const { config } = loadConfig({ environment: testEnvironment(database.url, settings) });
  const warnings: string[] = [];
  let statements = 0;
  const open = (url = database.url): Limits => {
    const db = openDatabase({ url, maxConnections: 4, prefix: '', preparedStatements: true, log: silentLog });
    t.teardown(() => db.close());
    const counted: typeof db = Object.create(db, {
      run: {
        value: (...call: Parameters<typeof db.run>) => {
          statements += 1;
          return db.run(...call);
        },
      },
    });
    const log = { warn: (_: object, message: string) => void warnings.push(message), debug: () => undefined };
    return openLimits({ config, db: counted, log: log as never });
  };
  return {
    limits: open(),
    database,
    warnings,
    statements: () => statements,
    another: open,
    age: (seconds) =>
      database.admin.query('update rate_counters set updated_at = updated_at - make_interval(secs => $1)', [seconds]),
  };
}

/** A request, reduced to what limits read. @param headers names in lower case */
export function requestFrom(socketAddress: string, headers: Readonly<Record<string, string>> = {}): ApiRequest {
  const headerValues = (name: string) => (headers[name] === undefined ? [] : [headers[name]]);
  return { socketAddress, headerValues, header: (name: string) => headers[name] } as unknown as ApiRequest;
}

/** @returns the error of the limit that rejected it, or null */
export async function errorOf(taken: Promise<void>): Promise<ApiError | null> {
  try {
    await taken;
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** @returns how many of the concurrent attempts are admitted; asserts that all others get 429 */
export async function countGranted(count: number, attempt: (n: number) => Promise<void>): Promise<number> {
  const answers = await Promise.all(Array.from({ length: count }, (_, n) => errorOf(attempt(n))));
  const fault = answers.find((refusal) => refusal !== null && refusal.status !== 429);
  if (fault) throw fault;
  return answers.filter((refusal) => refusal === null).length;
}
