import { randomBytes } from 'node:crypto';
import { skipHere } from '../not-here.js';
import { openTestServer, type TestServer } from '../server.js';
import type { Test } from '../tap.js';
import { copyCitusDatabase, dropCitusDatabase } from './cluster.js';
import { CITUS_TEMPLATE_VARIABLE, makeDistributedDatabase } from './distributed.js';

/** The coordinator of a cluster for tests, a superuser's URL; `npm run test:citus` sets it. */
export const CITUS_URL = process.env['TEST_CITUS_URL'];
/** Skips the test where there is no cluster. @returns URL of a distributed database of its own, dropped at teardown */
export async function createDistributedDatabase(t: Test): Promise<string | undefined> {
  if (CITUS_URL === undefined) {
    skipHere(t, 'no Citus: npm run test:citus starts the nodes of an installed one');
    return undefined;
  }
  const name = `latchkey_test_${randomBytes(6).toString('hex')}`;
  t.teardown(() => dropCitusDatabase(CITUS_URL, name).catch(() => undefined));
  const template = process.env[CITUS_TEMPLATE_VARIABLE];
  if (template !== undefined) return copyCitusDatabase(CITUS_URL, template, name);
  return makeDistributedDatabase(CITUS_URL, name);
}

/** Of servers of a cluster whose nodes share a machine. */
export const CITUS_SETTINGS = { DB_STATEMENT_TIMEOUT: '20s', DB_CITUS: 'true' };

/** A server of a distributed database; undefined where the test is skipped. */
export async function openCitusServer(
  t: Test,
  settings: Record<string, string> = {},
): Promise<(TestServer & { readonly citusUrl: string }) | undefined> {
  const url = await createDistributedDatabase(t);
  if (url === undefined) return undefined;
  return { ...(await openTestServer(t, { ...CITUS_SETTINGS, ...settings }, () => url)), citusUrl: url };
}
