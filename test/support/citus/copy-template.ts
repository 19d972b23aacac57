import { randomBytes } from 'node:crypto';
import { copyCitusDatabase, dropCitusDatabase } from './cluster.js';

/** Copies the template, for a test that would have a plain database. @returns its URL, and what removes it */
export async function copyTemplate(): Promise<{ url: string; drop: () => Promise<void> }> {
  const coordinator = process.env['TEST_CITUS_URL']!;
  const name = `latchkey_test_${randomBytes(6).toString('hex')}`;
  const url = await copyCitusDatabase(coordinator, process.env['TEST_CITUS_TEMPLATE']!, name);
  return { url, drop: () => dropCitusDatabase(coordinator, name) };
}
