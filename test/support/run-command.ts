import { Readable } from 'node:stream';
import { runCommandLine } from '../../src/server/commands/dispatch.js';

export interface CommandOutcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/**
 * Runs a command in this process, with only the given variables.
 * @param file settings file, such as an empty one
 * @param input standard input
 */
export async function runCommand(
  args: readonly string[],
  environment: Record<string, string>,
  file: string,
  input = '',
): Promise<CommandOutcome> {
  let out = '';
  let err = '';
  const code = await runCommandLine([...args, '-c', file], {
    environment,
    readInput: async () => input,
    input: Readable.from([Buffer.from(input)]),
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
  });
  return { code, out, err };
}
