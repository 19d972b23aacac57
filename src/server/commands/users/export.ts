import { listCustomProviders } from '../../../db/custom-providers.js';
import { countAccounts, readAccounts, readClientsById, readEnded, readSsoProvidersById } from '../../../db/export.js';
import {
  type DeletedTable,
  isEmptyBatch,
  type PeerBatch,
  type PeerTable,
  renderBatch,
  SCRIPT_END,
  SCRIPT_START,
} from '../../../db/to-gotrue.js';
import type { Database } from '../../../db/types.js';
import { withDatabase } from '../../cli/database.js';
import { openOutput } from '../../cli/output-file.js';
import { type Command, type CommandIo, EXIT } from '../../cli/types.js';
import type { Config } from '../../config/settings.js';
import { createSecretBox } from '../../factors/secret-box.js';
import { createProviderSealer } from '../../providers/stored/secret-sealer.js';
import { deriveKeys } from '../../sessions/keys.js';
import { toClientBatches, toProviderBatches } from './peer-oauth-rows.js';
import { type PeerKeys, toPeerBatches } from './peer-rows.js';
import { toSsoBatches } from './peer-sso-rows.js';
import { openProgress } from './progress.js';

/** Accounts of one statement. */
const PAGE = 500;
const SCHEMA = /^[a-z_][a-z0-9_]{0,62}$/;
const formats = new Set(['sql', 'ndjson']);

export const exportUsersCommand: Command = {
  summary: 'Write accounts and all that users sign in with for the tables of a supabase/auth server',
  help: `Writes accounts, identities, second factors, passkeys, custom and SSO providers, OAuth clients, consents, sessions and refresh
tokens to FILE (-: standard output), as SQL for psql or as JSON lines, so that a supabase/auth server can take over. What is
there is replaced; what was imported from there and deleted or signed out here is deleted there. The file contains password
hashes, secrets of authenticator apps and providers, and refresh tokens: protect it. Deleted accounts, pending codes, recovery
codes that were generated here and the audit log are left out; so are OAuth clients that supabase/auth cannot have.`,
  options: {
    'to-gotrue': { type: 'string', argument: 'FILE', doc: 'where to write; the file must not exist' },
    format: {
      type: 'string',
      argument: 'FORMAT',
      doc: 'sql (default): one transaction; ndjson: one row or deletion a line',
    },
    schema: { type: 'string', argument: 'NAME', doc: 'schema of the tables (default: auth)' },
  },
  run: async (args, io) => {
    const file = args.values['to-gotrue'] as string | undefined;
    const format = (args.values['format'] as string | undefined) ?? 'sql';
    const schema = (args.values['schema'] as string | undefined) ?? 'auth';
    const fault =
      file === undefined
        ? 'give --to-gotrue FILE'
        : !formats.has(format)
          ? '--format is sql or ndjson'
          : SCHEMA.test(schema)
            ? null
            : '--schema must be a plain lower-case name, e.g. auth';
    if (fault !== null) {
      io.err(`latchkey users export: ${fault}\n`);
      return EXIT.wrongUsage;
    }
    const { accounts, clients, providers, ssoProviders, refused } = await withDatabase(args, io, async (db, config) => {
      const out = openOutput(file!, io);
      try {
        const write = format === 'sql' ? (batch: PeerBatch) => out.write(renderBatch(batch, schema)) : lines(out.write);
        if (format === 'sql') out.write(SCRIPT_START);
        const count = await writeAll(db, peerKeysOf(config), io, write);
        if (format === 'sql') out.write(SCRIPT_END);
        return count;
      } finally {
        out.close();
      }
    });
    io.err(
      `exported ${accounts} accounts, ${clients} OAuth clients, ${providers} custom providers, ${ssoProviders} SSO providers\n`,
    );
    return refused === 0 ? EXIT.ok : EXIT.failed;
  },
};

const peerKeysOf = (config: Config): PeerKeys => ({
  keys: deriveKeys(config),
  secrets: { box: createSecretBox(config), encrypts: config.securityDbEncryptionEncrypt },
  providerSecrets: createProviderSealer(config),
  isProofNeeded: config.samlRequireDomainProof,
});

interface Written {
  readonly accounts: number;
  readonly clients: number;
  readonly providers: number;
  readonly ssoProviders: number;
  /** Rows that cannot be written: reported. */
  readonly refused: number;
}

async function writeAll(
  db: Database,
  keys: PeerKeys,
  io: CommandIo,
  write: (batch: PeerBatch) => void,
): Promise<Written> {
  const progress = openProgress(io);
  const total = Math.max(1, await countAccounts(db));
  let accounts = 0;
  let refused = 0;
  const onRefused = (kind: string) => (id: string, reason: string) => {
    refused += 1;
    io.err(`${kind} ${id}: ${reason}\n`);
  };
  try {
    // Deletions first: an address may belong to another account since.
    for (const [what, deleteFrom] of endings) {
      for await (const ids of pages(
        (after) => readEnded(db, what, after, PAGE),
        (id) => id,
      ))
        write({ deleteFrom, ids });
    }
    const listed = await listCustomProviders(db, '');
    const [ofOrganizations, providers] = [true, false].map((isOf) =>
      listed.filter(({ organization_id: id }) => (id !== null) === isOf),
    ) as [typeof listed, typeof listed];
    const left = ofOrganizations.map(({ id }) => id);
    for (const id of left) {
      io.err(`provider ${id} is left out: it belongs to an organization, and there could name the address of anyone\n`);
    }
    if (left.length > 0) write({ deleteFrom: 'custom_oauth_providers', ids: left });
    const batches = toProviderBatches(providers, keys.providerSecrets, keys.secrets, onRefused('provider'));
    for (const batch of batches.filter((one) => !isEmptyBatch(one))) write(batch);
    const providersWritten = providers.length - refused;
    const ssoProviders = await writeSsoProviders(db, keys.isProofNeeded, io, write);
    const clients = await writeClients(db, io, write);
    for await (const page of pages(
      (after) => readAccounts(db, after, PAGE),
      ({ user }) => user.id,
    )) {
      for (const batch of toPeerBatches(page, keys, clients, onRefused('factor'))) write(batch);
      accounts += page.length;
      progress.show(Math.min(1, accounts / total), 'accounts', { imported: accounts });
    }
    return { accounts, clients: clients.size, providers: providersWritten, ssoProviders, refused };
  } finally {
    progress.end();
  }
}

const endings = [
  ['ended_sessions', 'sessions'],
  ['ended_factors', 'mfa_factors'],
  ['ended_passkeys', 'webauthn_credentials'],
  ['deleted_clients', 'oauth_clients'],
  ['deleted_providers', 'custom_oauth_providers'],
  ['deleted_sso_providers', 'sso_providers'],
  ['deleted_users', 'users'],
] as const;

/** @returns the ids of the clients that are written */
async function writeClients(db: Database, io: CommandIo, write: (batch: PeerBatch) => void): Promise<Set<string>> {
  const written = new Set<string>();
  for await (const page of pages(
    (after) => readClientsById(db, after, PAGE),
    ({ id }) => id,
  )) {
    const { batches, ids } = toClientBatches(page, (id, reason) => io.err(`client ${id} is left out: ${reason}\n`));
    for (const batch of batches.filter((one) => !isEmptyBatch(one))) write(batch);
    for (const id of ids) written.add(id);
  }
  return written;
}

/** @returns how many */
async function writeSsoProviders(
  db: Database,
  isProofNeeded: boolean,
  io: CommandIo,
  write: (batch: PeerBatch) => void,
): Promise<number> {
  let count = 0;
  for await (const page of pages(
    (after) => readSsoProvidersById(db, after, PAGE),
    ({ id }) => id,
  )) {
    const batches = toSsoBatches(page, isProofNeeded, (id, what) => io.err(`sso provider ${id}: ${what}\n`));
    for (const batch of batches.filter((one) => !isEmptyBatch(one))) write(batch);
    count += page.length;
  }
  return count;
}

async function* pages<Row>(
  read: (after: string | null) => Promise<Row[]>,
  idOf: (row: Row) => string,
): AsyncGenerator<Row[]> {
  for (let after: string | null = null; ; ) {
    const page = await read(after);
    if (page.length > 0) yield page;
    if (page.length < PAGE) return;
    after = idOf(page.at(-1)!);
  }
}

/** Batches that are parts of a table. */
const tableOf = (into: PeerTable): string => parts.get(into) ?? into;

const parts: ReadonlyMap<string, string> = new Map([
  ['counted_sessions', 'sessions'],
  ['client_sessions', 'sessions'],
  ['recovery_factors', 'mfa_factors'],
  ['provider_claims', 'custom_oauth_providers'],
]);

function deletionOf(deleteFrom: DeletedTable, id: string): object {
  if (deleteFrom === 'unverified_factors') {
    return { table: 'mfa_factors', delete: { user_id: id, status: 'unverified' } };
  }
  return { table: deleteFrom, delete: deleteFrom === 'sso_domains' ? { sso_provider_id: id } : { id } };
}

/** One JSON object a line: {table, row}, {table, delete} or {table, revoke}. */
const lines = (write: (text: string) => void) => (batch: PeerBatch) => {
  const objects =
    'into' in batch
      ? batch.rows.map((row) => ({ table: tableOf(batch.into), row }))
      : 'revoke' in batch
        ? batch.revoke.map((session_id) => ({ table: 'refresh_tokens', revoke: { session_id } }))
        : batch.ids.map((id) => deletionOf(batch.deleteFrom, id));
  write(objects.map((one) => `${JSON.stringify(one)}\n`).join(''));
};
