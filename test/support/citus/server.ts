import { randomBytes } from 'node:crypto';
import { skipHere } from '../not-here.js';
import { openTestServer, type TestServer } from '../server.js';
import type { Test } from '../tap.js';
import { copyCitusDatabase, dropCitusDatabase, sealTemplate } from './cluster.js';
import { makeDistributedDatabase } from './distributed.js';

/** The coordinator of a cluster for tests, a superuser's URL; `npm run test:citus` sets it. */
export const CITUS_URL = process.env['TEST_CITUS_URL'];
/** A distributed database there that nobody uses, to be copied; `npm run test:citus` makes it. */
export const CITUS_TEMPLATE_VARIABLE = 'TEST_CITUS_TEMPLATE';

/** Whether the databases of all tests are distributed. */
export const CITUS_EVERYWHERE_VARIABLE = 'TEST_CITUS_EVERYWHERE';

/** @param url of the coordinator. @returns the name of a distributed database to be copied */
export async function makeTemplate(url: string): Promise<string> {
  const name = 'latchkey_template';
  await makeDistributedDatabase(url, name);
  await sealTemplate(url, name);
  return name;
}

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
