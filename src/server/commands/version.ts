import { readFileSync } from 'node:fs';
import { type Command, EXIT } from '../cli/types.js';
import { describeEngine } from '../http/engine.js';

/** @returns the version in package.json, e.g. `0.2.0` */
export function readVersion(): string {
  const manifest = new URL('../../../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}

export const version: Command = {
  summary: 'Print the version',
  help: 'Prints the version of this server, and on a second line its HTTP engine and Node.',
  options: {},
  run: async (_args, io) => {
    io.out(`${readVersion()}\n${findEngine()}, Node ${process.versions.node}\n`);
    return EXIT.ok;
  },
};

function findEngine(): string {
  try {
    return describeEngine();
  } catch {
    return 'No HTTP engine for this machine';
  }
}
