/** Reads a CPU profile: who spends how much, for one answer. */

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
}

export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

export interface ProfileRow {
  readonly where: string;
  readonly microseconds: number;
  /** Of the time the thread was not idle. */
  readonly share: number;
}

/** @returns functions by their own time, most first, without idleness */
export function tabulate({ nodes, samples, timeDeltas }: CpuProfile): ProfileRow[] {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const spent = new Map<string, number>();
  for (const [index, id] of samples.entries()) {
    const name = names.get(id)!;
    if (name !== '(idle)') spent.set(name, (spent.get(name) ?? 0) + timeDeltas[index]!);
  }
  const total = [...spent.values()].reduce((sum, each) => sum + each, 0);
  return [...spent]
    .map(([where, microseconds]) => ({ where, microseconds, share: microseconds / total }))
    .sort((a, b) => b.microseconds - a.microseconds);
}

function nameOf({ functionName, url, lineNumber }: ProfileNode['callFrame']): string {
  if (functionName.startsWith('(')) return functionName;
  const file = url.replace(/^.*\/(?=dist\/src\/|node_modules\/)/, '');
  return `${functionName || 'anonymous'} ${file}${url === '' ? '' : `:${lineNumber + 1}`}`;
}
