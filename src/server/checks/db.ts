import type { ClusterLayout } from '../../db/citus/layout.js';
import { type Diagnosis, diagnoseDatabase } from '../../db/diagnose.js';
import { prefixOf } from '../../db/statements.js';
import { loadOwnSources } from '../cli/configuration.js';
import { type Command, EXIT } from '../cli/types.js';
import type { LastingConfig } from '../config/settings.js';

export const checkDb: Command = {
  summary: 'Check the database connection and schema',
  help: `Connects like the server and shows version, round-trip time, available connections and pending migrations, with problems
and their solutions. Changes nothing and never prints the password. Exits with 1 if there is a problem.`,
  options: {
    json: { type: 'boolean', doc: 'print one JSON object' },
  },
  run: async ({ values, configFiles }, io) => {
    const config = loadOwnSources({ configFiles }, io);
    const asJson = values['json'] === true;
    let diagnosis: Diagnosis;
    try {
      diagnosis = await diagnoseDatabase({
        url: config.databaseUrl,
        prefix: prefixOf(config.dbNamespace),
        maxConnections: config.dbMaxPoolSize,
      });
    } catch (error) {
      const { message } = error as Error;
      if (asJson) io.out(`${JSON.stringify({ ok: false, problems: [message] }, null, 2)}\n`);
      else io.err(`${message}\n`);
      return EXIT.failed;
    }
    const cluster = await readCluster(config);
    const problems = [...diagnosis.problems, ...(cluster?.problems ?? [])];
    const ok = problems.length === 0;
    const found = {
      ...diagnosis,
      problems,
      ...(cluster && { cluster: { version: cluster.version, nodes: cluster.nodes } }),
    };
    io.out(asJson ? `${JSON.stringify({ ok, ...found }, null, 2)}\n` : render(found, config.dbMaxPoolSize));
    return ok ? EXIT.ok : EXIT.failed;
  },
};

type Cluster = Pick<ClusterLayout, 'version' | 'nodes'>;

async function readCluster({ databaseUrl, dbNamespace, dbCitus }: LastingConfig): Promise<ClusterLayout | undefined> {
  const { readClusterLayout } = await import('../../db/citus/layout.js');
  const layout = await readClusterLayout(databaseUrl, prefixOf(dbNamespace));
  if (!dbCitus) {
    const isOff = 'This database is distributed, so refreshes fail while AUTH_DB_CITUS is off. Set AUTH_DB_CITUS=true.';
    return layout && { ...layout, problems: [isOff, ...layout.problems] };
  }
  const problem = 'AUTH_DB_CITUS is on, but this database is not distributed. Run latchkey migrate --distribute first.';
  return layout ?? { version: '', nodes: [], problems: [problem] };
}

function render(diagnosis: Diagnosis & { readonly cluster?: Cluster }, maxPoolSize: number): string {
  const { pendingMigrations: pending, schemaVersion } = diagnosis;
  const uses = maxPoolSize === 0 ? 'as many as needed' : `at most ${maxPoolSize}`;
  const schema =
    schemaVersion === null
      ? 'unknown, see below'
      : pending.length === 0
        ? `version ${schemaVersion}, up to date`
        : `version ${schemaVersion}; the next start, or latchkey migrate, applies ${pending.join(', ')}`;
  const lines = [
    `database     ${diagnosis.place}`,
    `server       PostgreSQL ${diagnosis.serverVersion}`,
    `round trip   ${diagnosis.latencyMs.toFixed(1)} ms`,
    `connections  the server grants ${diagnosis.grants}, latchkey uses ${uses}`,
    `schema       ${schema}`,
    ...renderCluster(diagnosis.cluster),
    '',
    ...(diagnosis.problems.length === 0 ? ['The database is well.'] : diagnosis.problems),
  ];
  return `${lines.join('\n')}\n`;
}

function renderCluster(cluster: Cluster | undefined): string[] {
  if (cluster === undefined || cluster.nodes.length === 0) return [];
  const nodes = cluster.nodes.map(
    ({ node, shards, bytes }) => `${node} has ${shards} shards of the sessions, ${bytes} bytes`,
  );
  return [`cluster      Citus ${cluster.version}`, ...nodes.map((text) => `             ${text}`)];
}
