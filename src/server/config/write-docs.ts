/** `npm run docs`: writes the documents that are made from the table of settings. */
import { writeFileSync } from 'node:fs';
import { renderSettingsPage } from './docs.js';
import { renderEnvExample } from './env-example.js';

const root = new URL('../../../../', import.meta.url);
writeFileSync(new URL('docs/settings.md', root), renderSettingsPage());
writeFileSync(new URL('.env.example', root), renderEnvExample());
