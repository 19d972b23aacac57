/** Counts the instructions of a process with Valgrind's callgrind (https://valgrind.org/docs/manual/cl-manual.html). */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Wrapper } from './servers.js';

/** How many times as long node may take to start under it. */
const SLOWNESS = 20;

/** @throws with the cure when Valgrind is not installed */
export function assertCallgrind(): void {
  try {
    execFileSync('callgrind_control', ['--version'], { stdio: 'ignore' });
  } catch {
    throw new Error('callgrind_control is not on the PATH: install Valgrind (apt-get install valgrind)');
  }
}

/** What a program has to be started under. It counts nothing before {@link countWhile}. */
export function underCallgrind(directory: string): Wrapper {
  const options = [
    '--tool=callgrind',
    '--quiet',
    // V8 changes its code, and where it does is not in a file.
    '--smc-check=all-non-file',
    '--instr-atstart=no',
    `--callgrind-out-file=${outFile(directory)}`,
  ];
  // So slow a process looks idle to V8, which then tidies up as it would not in a busy one: up to a third more in a round.
  return { command: ['valgrind', ...options], flags: ['--no-memory-reducer'], slowness: SLOWNESS };
}

/**
 * Counts while some work is done.
 * @param directory as given to {@link underCallgrind}
 * @param round from 1; every call for a process has its own, in order
 * @returns the counts, and the file with them for callgrind_annotate
 */
export async function countWhile(
  pid: number,
  directory: string,
  round: number,
  work: () => Promise<void>,
): Promise<{ counts: InstructionCounts; file: string }> {
  const control = (option: string) => execFileSync('callgrind_control', [option, String(pid)], { stdio: 'pipe' });
  control('--instr=on');
  await work();
  control('--instr=off');
  // Starts the next count at nought, too.
  control('--dump');
  const file = `${outFile(directory)}.${round}`;
  return { counts: readCounts(readFileSync(file, 'utf8')), file };
}

/** Instructions outside the kernel, by the file they come from; code that V8 made has none. */
export interface InstructionCounts {
  readonly total: number;
  /** File name without directories, or '' → instructions. */
  readonly byFile: ReadonlyMap<string, number>;
}

/**
 * Reads a file of callgrind (https://valgrind.org/docs/manual/cl-format.html).
 * @throws when it is none, or its parts do not make up its total
 */
export function readCounts(text: string): InstructionCounts {
  const names = new Map<string, string>();
  const byFile = new Map<string, number>();
  let total: number | undefined;
  let sum = 0;
  let file = '';
  let isOfCall = false;
  for (const line of text.split('\n')) {
    // A file is named where it stands first, be it as that of a called function (cob).
    const object = /^(c?)ob=(\(\d+\))(?: (.+))?$/.exec(line);
    if (object !== null) {
      const [, called, id, name] = object;
      if (name !== undefined) names.set(id!, name === '???' ? '' : name.replace(/^.*\//, ''));
      if (called === '') file = names.get(id!) ?? '';
    } else if (line.startsWith('calls=')) isOfCall = true;
    else if (line.startsWith('totals:')) total = Number(line.slice('totals:'.length));
    else if (/^[\d+*-]/.test(line)) {
      // The line after a call is what the called function took, which is counted there.
      const count = isOfCall ? 0 : Number(line.split(' ')[1]);
      isOfCall = false;
      sum += count;
      byFile.set(file, (byFile.get(file) ?? 0) + count);
    }
  }
  if (total === undefined || total !== sum) throw new Error(`Not a file of callgrind: parts ${sum}, total ${total}`);
  return { total, byFile };
}

const outFile = (directory: string): string => join(directory, 'callgrind.out');
