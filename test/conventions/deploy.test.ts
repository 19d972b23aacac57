/** deploy/ and compose.yaml agree with the code: ports, paths, settings, and how long a server may take to stop. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { allSettings, namesOf } from '../../src/server/config/settings.js';
import { endpoints } from '../../src/server/endpoints/index.js';
import { readSource, readTree, repository } from '../support/source-tree.js';
import { t } from '../support/tap.js';

const read = (path: string) => parse(readSource(path).text);
const settingNames = new Set(allSettings.flatMap(({ setting }) => namesOf(setting)));
const settingOf = (variable: string) => allSettings.find(({ setting }) => setting.variable === variable)!.setting;
const apiPort = settingOf('API_PORT').default!;
const metricsPort = settingOf('OTEL_EXPORTER_PROMETHEUS_PORT').default!;
/** Of a whole shutdown (lifecycle.ts). */
const LONGEST_STOP_SECONDS = Number(
  /LONGEST_STOP_SECONDS = ([\d.]+)/.exec(readSource('src/server/runtime/lifecycle.ts').text)![1],
);

const compose = read('compose.yaml');
const deployment = read('deploy/kubernetes/deployment.yaml');
const job = read('deploy/kubernetes/migration-job.yaml');
const config: Record<string, string> = read('deploy/kubernetes/configmap.yaml').data;
const secret: Record<string, string> = read('deploy/kubernetes/secret.example.yaml').stringData;
const pod = deployment.spec.template.spec;
const container = pod.containers[0];
const unit = new Map(
  [...readSource('deploy/systemd/latchkey.service').text.matchAll(/^([A-Za-z]+)=(.*)$/gm)].map(([, key, value]) => [
    key!,
    value!,
  ]),
);

interface ComposeService {
  readonly image: string;
  readonly networks: readonly string[];
  readonly healthcheck?: object;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly depends_on?: object;
}

t.test('every file is valid YAML and repeats no key', async (t) => {
  const files = [...readTree(['deploy'], '.yaml'), ...readTree(['deploy'], '.yml'), readSource('compose.yaml')];
  t.ok(files.length > 10);
  for (const { path, text } of files) t.doesNotThrow(() => parse(text), path);
  t.throws(() => parse('a: 1\na: 2'), /unique/);
});

t.test('compose: services, ports, volumes, files', async (t) => {
  const services: Record<string, ComposeService> = compose.services;
  t.same(Object.keys(services).sort(), ['caddy', 'grafana', 'latchkey', 'mailpit', 'postgres', 'prometheus']);
  for (const [name, service] of Object.entries(services)) {
    const { image, networks, healthcheck, ports = [], volumes = [] } = service;
    for (const network of networks) t.ok(network in compose.networks, `${name}: ${network}`);
    if (name !== 'latchkey') t.ok(healthcheck, `${name} has a health check`);
    if (image !== 'latchkey') t.match(image, /^[a-z/]+:v?\d+[\w.-]*$/, `${name}: a version`);
    for (const port of ports) {
      if (name !== 'caddy') t.match(port, /^127\.0\.0\.1:/, `${name} is published on this machine only`);
    }
    for (const volume of volumes) {
      const [from = ''] = volume.split(':');
      if (from.startsWith('./')) t.ok(existsSync(join(repository, from)), `${name} mounts ${from}`);
      else t.ok(from in compose.volumes, `${name}: the volume ${from} is declared`);
    }
    for (const other of Object.keys(service.depends_on ?? {})) t.ok(services[other], `${name} waits for ${other}`);
  }
  t.same(compose.services.latchkey.expose, [apiPort, metricsPort]);
  t.notOk('ports' in compose.services.latchkey, 'it is reached through the proxy only');
  t.equal(compose.services.caddy.environment.LATCHKEY_UPSTREAM, `latchkey:${apiPort}`);
  t.match(readSource('Dockerfile').text, /^HEALTHCHECK /m, 'the image brings its own health check');
});

t.test(
  'compose: settings exist, secrets come from the environment, and a missing one is an error with a reason',
  async (t) => {
    const environment: Record<string, string> = compose.services.latchkey.environment;
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
    for (const [, name] of text.matchAll(/\$\{([A-Z_]+):\?/g))
      t.ok(guide.includes(`${name}=`), `the guide sets ${name}`);
  },
);

t.test('Prometheus and Grafana find the files they load', async (t) => {
  const prometheus = read('deploy/prometheus/prometheus.yml');
  const target = prometheus.scrape_configs[0];
  t.match(target, { metrics_path: '/', dns_sd_configs: [{ names: ['latchkey'], port: metricsPort }] });
  t.same(prometheus.rule_files, ['alerts*.yml'], 'which may match no file');
  const folder = read('deploy/grafana/provisioning/dashboards/latchkey.yaml').providers[0].options.path;
  const mounts = compose.services.grafana.volumes;
  t.ok(mounts.includes(`./deploy/grafana:${folder}:ro`), 'dashboards are where Grafana reads them');
});

t.test('probes use paths and a port that exist', async (t) => {
  const paths = endpoints.filter(({ method, caller }) => method === 'GET' && caller === 'none').map(({ path }) => path);
  const probed = ['startupProbe', 'livenessProbe', 'readinessProbe'].map((probe) => container[probe].httpGet);
  for (const { path, port } of probed as { path: string; port: string }[]) {
    t.ok(paths.includes(path), path);
    t.equal(port, 'http');
  }
  t.equal(container.livenessProbe.httpGet.path, '/health', 'an unreachable database restarts no pod');
  t.equal(container.readinessProbe.httpGet.path, '/health/ready');
  t.same(
    container.ports.map(({ name, containerPort }: { name: string; containerPort: number }) => [name, containerPort]),
    [
      ['http', apiPort],
      ['metrics', metricsPort],
    ],
  );
  t.match(read('deploy/kubernetes/service.yaml').spec.ports[0], { targetPort: 'http' });
  const allowed = read('deploy/kubernetes/network-policy.yaml').spec.ingress;
  t.same(
    allowed.map((rule: { ports: { port: string }[] }) => rule.ports[0]?.port),
    [apiPort, metricsPort],
  );
});

t.test('Kubernetes, compose and systemd wait longer than a stop takes', async (t) => {
  const preStop = Number(container.lifecycle.preStop.exec.command[1]);
  t.ok(pod.terminationGracePeriodSeconds > preStop + LONGEST_STOP_SECONDS);
  t.ok(Number.parseInt(compose.services.latchkey.stop_grace_period, 10) > LONGEST_STOP_SECONDS);
  t.ok(Number(unit.get('TimeoutStopSec')) > LONGEST_STOP_SECONDS);
  t.equal(unit.get('KillSignal'), 'SIGTERM');
});

t.test('pods have the permissions and resources they need, and no more', async (t) => {
  for (const spec of [pod, job.spec.template.spec]) {
    t.match(spec, { automountServiceAccountToken: false, securityContext: { runAsNonRoot: true } });
    t.match(spec.containers[0].securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    t.ok(spec.containers[0].resources.limits.memory);
    t.equal(spec.containers[0].image, `latchkey:${JSON.parse(readSource('package.json').text).version}`);
  }
  t.same(job.spec.template.spec.containers[0].args, ['migrate', '--wait', '60s']);
  const pods = read('deploy/kubernetes/autoscaler.yaml').spec.maxReplicas + 1;
  t.ok(
    pods * Number(config['AUTH_DB_MAX_POOL_SIZE']) <= 97,
    'all pods fit into the connections that Postgres grants by default',
  );
});

t.test('settings of the manifests exist, all required ones are there, and no secret has a value', async (t) => {
  const names = [...Object.keys(config), ...Object.keys(secret)];
  for (const name of names) t.ok(settingNames.has(name), name);
  for (const { setting } of allSettings) {
    if (setting.required)
      t.ok(
        namesOf(setting).some((name) => names.includes(name)),
        setting.variable,
      );
    if (setting.secret)
      t.notOk(
        Object.keys(config).some((name) => namesOf(setting).includes(name)),
        setting.variable,
      );
  }
  t.same([...new Set(Object.values(secret))], ['']);
  for (const file of read('deploy/kubernetes/kustomization.yaml').resources)
    t.ok(existsSync(join(repository, 'deploy/kubernetes', file)), file);
});

t.test('the systemd unit starts the binary as an unprivileged user', async (t) => {
  t.equal(unit.get('ExecStart'), '/usr/bin/node /opt/latchkey/bin/latchkey.cjs serve');
  t.equal(unit.get('RestartPreventExitStatus'), '2', 'an invalid configuration is not retried (docs/run/health.md)');
  for (const key of ['DynamicUser', 'NoNewPrivileges', 'PrivateTmp', 'ProtectHome', 'RestrictNamespaces']) {
    t.equal(unit.get(key), 'yes', key);
  }
  t.ok(unit.has('EnvironmentFile'));
  t.notOk(unit.has('MemoryDenyWriteExecute'), 'it would keep the JavaScript engine from compiling');
});
