import { readFileSync } from 'node:fs';
import { type Command, EXIT } from './types.js';

/** @returns the version in package.json, e.g. `0.1.0` */
export function readVersion(): string {
  const manifest = new URL('../../../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}

export const version: Command = {
  summary: 'Print the version',
  help: 'Prints the version of this server.',
  options: {},
  run: async (_args, io) => {
    io.out(`${readVersion()}\n`);
    return EXIT.ok;
  },
};
