import { runCommandLine } from '../../src/server/commands/dispatch.js';

export interface CommandOutcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command in this process, with no variable but those given. @param file settings file, such as an empty one */
export async function runCommand(
  args: readonly string[],
  environment: Record<string, string>,
  file: string,
): Promise<CommandOutcome> {
  let out = '';
  let err = '';
  const code = await runCommandLine([...args, '-c', file], {
    environment,
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
  });
  return { code, out, err };
}
