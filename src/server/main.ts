/** Entry point, started by bin/latchkey.cjs. */
import { DEVELOPMENT_DIRECTORY } from './cli/development.js';
import { openPrompt } from './cli/prompt.js';
import { runCommandLine } from './commands/dispatch.js';
import { readEnvironment } from './config/environment.js';

for (const stream of [process.stdout, process.stderr]) {
  // A closed pipe (`latchkey check config --all | head`) must not cause a stack trace.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

process.exitCode = await runCommandLine(process.argv.slice(2), {
  environment: readEnvironment(),
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  readInput: async () => Buffer.concat(await process.stdin.toArray()).toString(),
  // Not opened before it is read.
  get input() {
    return process.stdin;
  },
  dataDirectory: DEVELOPMENT_DIRECTORY,
  isTerminal: process.stderr.isTTY === true,
  ...(process.stdin.isTTY && process.stderr.isTTY && { openPrompt: () => openPrompt(process.stdin, process.stderr) }),
});
