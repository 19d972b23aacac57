import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { addRequestRoles } from '../../src/db/request-roles.js';

/** An application's tables, triggers and policies, from test/app-schema. */
export const readApplication = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../test/app-schema/${name}.sql`, import.meta.url)), 'utf8');

/** The first row of a statement, or undefined. */
export async function readRow(
  admin: pg.ClientBase,
  text: string,
  values: unknown[] = [],
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on its members.
): Promise<any> {
  return (await admin.query(text, values)).rows[0];
}

/** Runs work as a REST layer does: with the role and claims of a request, in a transaction of its own. */
export async function asRequest<Result>(
  admin: pg.ClientBase,
  role: string,
  claims: object | null,
  work: () => Promise<Result>,
): Promise<Result> {
  await admin.query('begin');
  try {
    await admin.query(`set local role ${role}`);
    if (claims !== null)
      await admin.query(`select set_config('request.jwt.claims', $1, true)`, [JSON.stringify(claims)]);
    return await work();
  } finally {
    await admin.query('rollback');
  }
}

/**
 * Makes the roles of a REST layer, which are of the whole cluster, before the server starts.
 * @returns the URL as it is, for `reach` of a test server
 */
export async function makeRequestRoles(url: string): Promise<string> {
  await addRequestRoles(url);
  return url;
}
