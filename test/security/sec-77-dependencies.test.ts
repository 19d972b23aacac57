import { readSource } from '../support/source-tree.js';
import { t } from '../support/tap.js';
import { words } from '../support/words.js';

/** The production dependencies. A new one needs a reason, an owner file and an entry here. */
const wanted = words(`
  @noble/curves @noble/hashes @node-rs/argon2 @node-saml/node-saml @opentelemetry/api
  @opentelemetry/exporter-metrics-otlp-http @opentelemetry/exporter-trace-otlp-http @opentelemetry/resources
  @opentelemetry/sdk-metrics @opentelemetry/sdk-trace @simplewebauthn/server @xmldom/xmldom ajv argon2 bcryptjs
  html-to-text jose lru-cache nodemailer oauth4webapi pg pino piscina postgres-shift prom-client tldts uWebSockets.js
  uWebSockets.js-next uqr xml-crypto
`);
const manifest = JSON.parse(readSource('package.json').text);
const { packages } = JSON.parse(readSource('package-lock.json').text);

t.test('SEC-77 the production packages are few, and those that are listed', async (t) => {
  t.same(Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }).sort(), wanted);
});

t.test('SEC-77 each is pinned exactly, by version and by hash', async (t) => {
  const all = { ...manifest.dependencies, ...manifest.optionalDependencies, ...manifest.devDependencies };
  for (const [name, range] of Object.entries<string>(all)) {
    const version = /^(?:npm:@?[\w./-]+@)?(\d+\.\d+\.\d+(?:-[\w.]+)?)$/.exec(range)?.[1];
    t.ok(version, `${name} ${range}`);
    t.equal(packages[`node_modules/${name}`]?.version, version, `${name} is locked at it`);
  }
});

t.test('SEC-77 the mail library has no open advisory: 10.4.1 or newer', async (t) => {
  const [major, minor, patch] = packages['node_modules/nodemailer'].version.split('.').map(Number);
  t.ok(major > 10 || (major === 10 && (minor > 4 || (minor === 4 && patch >= 1))));
});

t.test('SEC-77 no package runs an install script, except those allowed', async (t) => {
  const withScripts = Object.entries<{ hasInstallScript?: boolean; dev?: boolean }>(packages)
    .filter(([, { hasInstallScript, dev }]) => hasInstallScript === true && dev !== true)
    .map(([path]) => path.replace(/^.*node_modules\//, ''));
  t.same(
    withScripts.filter((name) => !Object.hasOwn(manifest.allowScripts, name)),
    [],
  );
});

t.test('SEC-77 the audit is a script and in CONTRIBUTING', async (t) => {
  t.equal(manifest.scripts.audit, 'npm audit --omit=dev');
  t.match(readSource('CONTRIBUTING.md').text, /npm run audit/);
});
