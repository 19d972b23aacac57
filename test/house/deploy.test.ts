/** What lies in deploy/ and compose.yaml agrees with the code: ports, paths, settings, and how long a server may take. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { allSettings, namesOf } from '../../src/server/config/settings.js';
import { routes } from '../../src/server/routes/index.js';
import { at, readYaml, type Yaml } from '../support/read-yaml.js';
import { readSource, readTree, repository } from '../support/source-tree.js';

const read = (path: string): Yaml => readYaml(readSource(path).text)[0]!;
const keys = (value: Yaml): string[] => Object.keys(value as object);
const list = (value: Yaml): Yaml[] => value as Yaml[];
const settingNames = new Set(allSettings.flatMap(({ setting }) => namesOf(setting)));
const settingOf = (variable: string) => allSettings.find(({ setting }) => setting.variable === variable)!.setting;
const apiPort = settingOf('API_PORT').default!;
const metricsPort = settingOf('OTEL_EXPORTER_PROMETHEUS_PORT').default!;
/** The whole way down (lifecycle.ts). */
const LONGEST_STOP_SECONDS = Number(
  /LONGEST_STOP_SECONDS = ([\d.]+)/.exec(readSource('src/server/lifecycle.ts').text)![1],
);

const compose = read('compose.yaml');
const deployment = read('deploy/kubernetes/deployment.yaml');
const job = read('deploy/kubernetes/migration-job.yaml');
const config = at(read('deploy/kubernetes/configmap.yaml'), 'data');
const secret = at(read('deploy/kubernetes/secret.example.yaml'), 'stringData');
const pod = at(deployment, 'spec', 'template', 'spec');
const container = at(pod, 'containers', 0);
const unit = new Map(
  [...readSource('deploy/systemd/latchkey.service').text.matchAll(/^([A-Za-z]+)=(.*)$/gm)].map(([, key, value]) => [
    key!,
    value!,
  ]),
);

t.test('every file can be read, and repeats no key', async (t) => {
  const files = [...readTree(['deploy'], '.yaml'), ...readTree(['deploy'], '.yml'), readSource('compose.yaml')];
  t.ok(files.length > 10);
  // Rules of alerts have expressions over several lines, which their own test reads.
  for (const { path, text } of files) {
    if (!path.endsWith('/alerts.yml')) t.doesNotThrow(() => readYaml(text), path);
  }
  t.throws(() => readYaml('a: 1\na: 2'), /twice/);
  t.throws(() => readYaml('a:\n  b: 1\n c: 2'), /indentation/);
});

t.test('compose: services, ports, volumes, files', async (t) => {
  const services = at(compose, 'services');
  t.same(keys(services).sort(), ['caddy', 'grafana', 'latchkey', 'mailpit', 'postgres', 'prometheus']);
  const volumes = new Set(keys(at(compose, 'volumes')));
  const networks = new Set(keys(at(compose, 'networks')));
  for (const name of keys(services)) {
    const service = at(services, name) as Record<string, Yaml>;
    for (const network of list(service['networks']!)) t.ok(networks.has(network as string), `${name}: ${network}`);
    if (name !== 'latchkey') t.ok(service['healthcheck'], `${name} has a health check`);
    if (service['image'] !== 'latchkey') t.match(service['image'], /^[a-z/]+:v?\d+[\w.-]*$/, `${name}: a version`);
    for (const port of list(service['ports'] ?? [])) {
      if (name !== 'caddy') t.match(port, /^127\.0\.0\.1:/, `${name} is published on this machine only`);
    }
    for (const volume of list(service['volumes'] ?? [])) {
      const [from = ''] = (volume as string).split(':');
      if (from.startsWith('./')) t.ok(existsSync(join(repository, from)), `${name} mounts ${from}`);
      else t.ok(volumes.has(from), `${name}: the volume ${from} is declared`);
    }
    for (const other of keys(service['depends_on'] ?? {})) t.ok(at(services, other), `${name} waits for ${other}`);
  }
  t.same(at(services, 'latchkey', 'expose'), [apiPort, metricsPort]);
  t.throws(() => at(services, 'latchkey', 'ports'), /there is no latchkey\.ports/, 'nobody reaches it past the proxy');
  t.equal(at(services, 'caddy', 'environment', 'LATCHKEY_UPSTREAM'), `latchkey:${apiPort}`);
  t.match(readSource('Dockerfile').text, /^HEALTHCHECK /m, 'the image brings its own health check');
});

t.test('compose: settings exist, secrets come from outside and say so when they are missing', async (t) => {
  const environment = at(compose, 'services', 'latchkey', 'environment') as Record<string, string>;
  for (const name of Object.keys(environment)) t.ok(settingNames.has(name), name);
  const required = allSettings.filter(({ setting }) => setting.required).map(({ setting }) => namesOf(setting));
  for (const names of required)
    t.ok(
      names.some((name) => name in environment),
      names.join(', '),
    );
  const { text } = readSource('compose.yaml');
  for (const [, name, value] of text.matchAll(/^\s+(\w*(?:PASSWORD|SECRET|TOKEN)\w*): "?(.*?)"?$/gm)) {
    t.match(value, /^\$\{[A-Z_]+:\?[^}]+\}$/, `${name} is required from .env, with a reason`);
  }
  t.match(
    environment['DATABASE_URL'],
    /^postgres:\/\/latchkey:\$\{POSTGRES_PASSWORD:\?[^}]+\}@postgres:5432\/latchkey$/,
  );
  const guide = readSource('docs/deployment.md').text;
  for (const [, name] of text.matchAll(/\$\{([A-Z_]+):\?/g)) t.ok(guide.includes(`${name}=`), `the guide sets ${name}`);
});

t.test('Prometheus and Grafana find what they are given', async (t) => {
  const prometheus = read('deploy/prometheus/prometheus.yml');
  const target = at(prometheus, 'scrape_configs', 0);
  t.match(target, { metrics_path: '/', dns_sd_configs: [{ names: ['latchkey'], port: metricsPort }] });
  t.same(at(prometheus, 'rule_files'), ['alerts*.yml'], 'also without any');
  const folder = at(read('deploy/grafana/provisioning/dashboards/latchkey.yaml'), 'providers', 0, 'options', 'path');
  const mounts = list(at(compose, 'services', 'grafana', 'volumes'));
  t.ok(mounts.includes(`./deploy/grafana:${folder}:ro`), 'dashboards lie where Grafana looks');
});

t.test('probes ask paths that there are, on the port that there is', async (t) => {
  const paths = routes.filter(({ method, auth }) => method === 'GET' && auth === 'none').map(({ path }) => path);
  const asked = ['startupProbe', 'livenessProbe', 'readinessProbe'].map((probe) => at(container, probe, 'httpGet'));
  for (const { path, port } of asked as { path: string; port: string }[]) {
    t.ok(paths.includes(path), path);
    t.equal(port, 'http');
  }
  t.equal(at(container, 'livenessProbe', 'httpGet', 'path'), '/health', 'a database that is away kills nobody');
  t.equal(at(container, 'readinessProbe', 'httpGet', 'path'), '/health/ready');
  t.same(
    list(at(container, 'ports')).map((port) => [at(port, 'name'), at(port, 'containerPort')]),
    [
      ['http', apiPort],
      ['metrics', metricsPort],
    ],
  );
  t.match(at(read('deploy/kubernetes/service.yaml'), 'spec', 'ports', 0), { targetPort: 'http' });
  const allowed = list(at(read('deploy/kubernetes/network-policy.yaml'), 'spec', 'ingress'));
  t.same(
    allowed.map((rule) => at(rule, 'ports', 0, 'port')),
    [apiPort, metricsPort],
  );
});

t.test('whoever stops a server waits longer than it takes', async (t) => {
  const preStop = Number(at(container, 'lifecycle', 'preStop', 'exec', 'command', 1));
  t.ok(Number(at(pod, 'terminationGracePeriodSeconds')) > preStop + LONGEST_STOP_SECONDS);
  t.ok(Number.parseInt(at(compose, 'services', 'latchkey', 'stop_grace_period') as string, 10) > LONGEST_STOP_SECONDS);
  t.ok(Number(unit.get('TimeoutStopSec')) > LONGEST_STOP_SECONDS);
  t.equal(unit.get('KillSignal'), 'SIGTERM');
});

t.test('pods have the rights and means they need, and no more', async (t) => {
  for (const spec of [pod, at(job, 'spec', 'template', 'spec')]) {
    t.match(spec, { automountServiceAccountToken: 'false', securityContext: { runAsNonRoot: 'true' } });
    t.match(at(spec, 'containers', 0, 'securityContext'), {
      allowPrivilegeEscalation: 'false',
      readOnlyRootFilesystem: 'true',
      capabilities: { drop: ['ALL'] },
    });
    t.ok(at(spec, 'containers', 0, 'resources', 'limits', 'memory'));
    t.equal(at(spec, 'containers', 0, 'image'), `latchkey:${JSON.parse(readSource('package.json').text).version}`);
  }
  t.same(at(job, 'spec', 'template', 'spec', 'containers', 0, 'args'), ['migrate', '--wait', '60s']);
  const pods = Number(at(read('deploy/kubernetes/autoscaler.yaml'), 'spec', 'maxReplicas')) + 1;
  t.ok(pods * Number(at(config, 'AUTH_DB_MAX_POOL_SIZE')) <= 97, 'all pods fit into what Postgres grants by default');
});

t.test('settings of the manifests exist, all required ones are there, and no secret has a value', async (t) => {
  const names = [...keys(config), ...keys(secret)];
  for (const name of names) t.ok(settingNames.has(name), name);
  for (const { setting } of allSettings) {
    if (setting.required)
      t.ok(
        namesOf(setting).some((name) => names.includes(name)),
        setting.variable,
      );
    if (setting.secret)
      t.notOk(
        keys(config).some((name) => namesOf(setting).includes(name)),
        setting.variable,
      );
  }
  t.same([...new Set(keys(secret).map((name) => at(secret, name)))], ['']);
  const resources = list(at(read('deploy/kubernetes/kustomization.yaml'), 'resources')) as string[];
  for (const file of resources) t.ok(existsSync(join(repository, 'deploy/kubernetes', file)), file);
});

t.test('the unit starts what there is, as nobody in particular', async (t) => {
  t.equal(unit.get('ExecStart'), '/usr/bin/node /opt/latchkey/bin/latchkey.cjs serve');
  t.equal(unit.get('RestartPreventExitStatus'), '2', 'faulty configuration is not tried again (operations.md)');
  for (const key of ['DynamicUser', 'NoNewPrivileges', 'PrivateTmp', 'ProtectHome', 'RestrictNamespaces']) {
    t.equal(unit.get(key), 'yes', key);
  }
  t.ok(unit.has('EnvironmentFile'));
  t.notOk(unit.has('MemoryDenyWriteExecute'), 'it would keep the JavaScript engine from compiling');
});
