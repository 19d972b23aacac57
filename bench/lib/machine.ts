import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { join } from 'node:path';

/** Where a run was made, and with what. */
export interface Machine {
  readonly date: string;
  readonly commit: string;
  readonly cores: number;
  readonly cpu: string;
  readonly memoryGb: number;
  /** Load average of the minute before the run: far above 0, other work has shared the machine. */
  readonly loadBefore: number;
  readonly platform: string;
  readonly node: string;
  readonly postgres: string;
  /** Of closed loops; open loops have a generator of our own. */
  readonly generator?: string;
}

/** Describes this machine and the checkout at `root`. */
export function describeMachine(root: string, postgres: string, loadBefore: number, hasClosedLoops = false): Machine {
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return {
    date: new Date().toISOString(),
    commit: describeCommit(root),
    cores: availableParallelism(),
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    memoryGb: Math.round(totalmem() / 1e9),
    loadBefore,
    platform: `${process.platform} ${process.arch}`,
    node: process.version,
    postgres,
    ...(hasClosedLoops ? { generator: `autocannon ${devDependencies.autocannon}` } : {}),
  };
}

/** True when other work used so much of the machine that the figures of a run mean little. */
export const isBusy = ({ loadBefore, cores }: Pick<Machine, 'loadBefore' | 'cores'>): boolean => loadBefore > cores / 4;

/**
 * The sentence under a table.
 * @param tools beside Node and Postgres, e.g. the argon2 engine
 */
export function describeRun(machine: Machine, tools: readonly (string | undefined)[], length: string): string {
  const { date, commit, cores, cpu, node, postgres, generator, loadBefore } = machine;
  const all = [`Node ${node}`, `Postgres ${postgres}`, ...tools, generator];
  const versions = all.filter((tool) => tool !== undefined).join(', ');
  const busy = isBusy(machine) ? ` The machine was busy with other work (load ${loadBefore.toFixed(1)}).` : '';
  return `${commit}, ${date.slice(0, 16).replace('T', ' ')} UTC: ${cores} cores (${cpu}) for server, database and load together; ${versions}. ${length}.${busy}`;
}

/** The line under the title of a chart. */
export const describeBriefly = ({ commit, date, cores }: Machine): string =>
  `${commit}, ${date.slice(0, 10)}, ${cores} cores for server, database and load`;

/** @returns the short hash, with `-dirty` when files differ from it; `unknown` outside a git checkout */
function describeCommit(root: string): string {
  try {
    const git = (...args: string[]) =>
      execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
    const changes = git('status', '--porcelain', '-uno', '--', '.', ':!bench/results', ':!bench/README.md');
    return git('rev-parse', '--short=10', 'HEAD') + (changes === '' ? '' : '-dirty');
  } catch {
    return 'unknown';
  }
}
