import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPeerTables } from './peer-tables.js';
import { type CommandOutcome, runCommand } from './run-command.js';
import { type Answer, openTestServer, type TestServer, testEnvironment } from './server.js';
import type { Test } from './tap.js';

export interface Moving extends TestServer {
  /** A directory of the test. */
  readonly at: string;
  /** `latchkey users …` */
  users(...args: string[]): Promise<CommandOutcome>;
  /** `latchkey users import --from-gotrue`, with the report as JSON. */
  move(...args: string[]): Promise<CommandOutcome & { readonly report: Report }>;
  refresh(token: string): Promise<Answer>;
}

type Counts = Readonly<Record<'imported' | 'changed' | 'skipped' | 'kept' | 'refused' | 'gone', number>>;
export type Report = Readonly<
  Record<
    'accounts' | 'factors' | 'passkeys' | 'providers' | 'sso_providers' | 'clients' | 'consents' | 'sessions',
    Counts
  >
>;

/** Opens a server, and the empty tables of supabase/auth in its database, in the schema auth. */
export async function openMoving(t: Test, settings: Record<string, string> = {}): Promise<Moving> {
  const server = await openTestServer(t, settings);
  const at = mkdtempSync(join(tmpdir(), 'latchkey-moving-'));
  t.teardown(() => rmSync(at, { recursive: true, force: true }));
  writeFileSync(join(at, 'empty.env'), '');
  await createPeerTables(server.database.admin);
  const environment = { ...testEnvironment(server.database.url, settings), PEER_URL: server.database.url };
  const users = (...args: string[]) => runCommand(['users', ...args], environment, join(at, 'empty.env'));
  return {
    ...server,
    at,
    users,
    async move(...args) {
      const bookmark = join(at, 'moving.bookmark');
      const outcome = await users('import', '--from-gotrue', 'env:PEER_URL', '--bookmark', bookmark, '--json', ...args);
      return { ...outcome, report: outcome.out === '' ? ({} as Report) : JSON.parse(outcome.out) };
    },
    refresh: (token) => server.post('/token?grant_type=refresh_token', { refresh_token: token }),
  };
}
