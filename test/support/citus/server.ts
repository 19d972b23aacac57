import { randomBytes } from 'node:crypto';
import { skipHere } from '../not-here.js';
import { openTestServer, type TestServer } from '../server.js';
import type { Test } from '../tap.js';
import {
  type CitusCluster,
  copyCitusDatabase,
  createCitusDatabase,
  dropCitusDatabase,
  startCitusCluster,
} from './cluster.js';
import { CITUS_TEMPLATE_VARIABLE, makeDistributedDatabase } from './distributed.js';

/** The coordinator of a cluster for tests, a superuser's URL; `npm run test:citus` sets it. */
export const CITUS_URL = process.env['TEST_CITUS_URL'];
/** Skips the test where there is no cluster. @returns whether there is one */
function hasCitus(t: Test): boolean {
  if (CITUS_URL === undefined) skipHere(t, 'no Citus: npm run test:citus starts the nodes of an installed one');
  return CITUS_URL !== undefined;
}

/** @param create makes a database of that name at the coordinator. @returns its URL; dropped at teardown. Undefined: skipped */
async function createDatabase(
  t: Test,
  create: (coordinator: string, name: string) => Promise<string>,
): Promise<string | undefined> {
  if (!hasCitus(t)) return undefined;
  const name = `latchkey_test_${randomBytes(6).toString('hex')}`;
  t.teardown(() => dropCitusDatabase(CITUS_URL!, name).catch(() => undefined));
  return create(CITUS_URL!, name);
}

/** @returns URL of an empty database of the cluster, dropped at teardown. Undefined: there is no cluster, and the test is skipped */
export const createEmptyDatabase = (t: Test): Promise<string | undefined> => createDatabase(t, createCitusDatabase);

/** Like {@link createEmptyDatabase}, of a database that is migrated and distributed. */
export const createDistributedDatabase = (t: Test): Promise<string | undefined> =>
  createDatabase(t, (coordinator, name) => {
    const template = process.env[CITUS_TEMPLATE_VARIABLE];
    return template === undefined
      ? makeDistributedDatabase(coordinator, name)
      : copyCitusDatabase(coordinator, template, name);
  });

/** A cluster of the test's own, whose nodes it may end, with a distributed database. Undefined: there is no Citus; the test is skipped */
export async function openOwnCluster(
  t: Test,
): Promise<{ readonly cluster: CitusCluster; readonly citusUrl: string } | undefined> {
  if (!hasCitus(t)) return undefined;
  const cluster = await startCitusCluster(process.env['CITUS_PG_CONFIG'] ?? 'pg_config');
  t.teardown(() => cluster.stop());
  return { cluster, citusUrl: await makeDistributedDatabase(cluster.coordinator.url, 'latchkey') };
}

/**
 * Of servers of a cluster whose nodes share a machine. A refresh whose answer was lost with its node is tried again with the same token, at
 * any time later.
 */
export const CITUS_SETTINGS = {
  DB_STATEMENT_TIMEOUT: '20s',
  DB_CITUS: 'true',
  SECURITY_REFRESH_TOKEN_REUSE_INTERVAL: '1h',
};

/** A server of a distributed database; undefined where the test is skipped. */
export async function openCitusServer(
  t: Test,
  settings: Record<string, string> = {},
): Promise<(TestServer & { readonly citusUrl: string }) | undefined> {
  const url = await createDistributedDatabase(t);
  if (url === undefined) return undefined;
  return { ...(await openTestServer(t, { ...CITUS_SETTINGS, ...settings }, () => url)), citusUrl: url };
}
