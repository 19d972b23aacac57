import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { stageSite } from './stage.js';

/** Its directory, with a slash at the end. */
export const repository = fileURLToPath(new URL('../../../../', import.meta.url));

/** Where the built site is. */
export const SITE = `${repository}dist/site/`;

/**
 * Builds the documentation into `SITE`, by VitePress in a process of its own.
 * @param base begins the paths of the site, with a slash at both ends
 * @returns what VitePress has written
 * @throws Error with that, when it fails; an Error of the file system
 */
export async function buildSite(base: string): Promise<string> {
  const staged = `${repository}dist/site-source`;
  stageSite({ repository, staged, output: SITE, base });
  const child = spawn(process.execPath, [`${repository}node_modules/vitepress/bin/vitepress.js`, 'build', staged], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(output);
  return output;
}
