/**
 * How this server is registered at the identity provider of a company stands in the console, step by step, and in docs/sso, field
 * by field. Both name the same places and values.
 */
import { readFileSync } from 'node:fs';
import { companyGuides } from '../../src/server/console/provider-guides/companies.js';
import { t } from '../support/tap.js';

const page = readFileSync(new URL('../../../docs/sso/at-the-identity-provider.md', import.meta.url), 'utf8');
const plain = (text: string): string => text.replace(/[*`]|\]\([^)]*\)|\[/g, '');

/** The text of the section with that heading. */
function sectionOf(title: string): string {
  const [, section = ''] = page.split(`## ${title}\n`);
  return section.split(/^## /m)[0] ?? '';
}

t.test('the guides of the console and the page of docs name the same', async (t) => {
  for (const { title, registerAt, steps, notes } of companyGuides) {
    const section = sectionOf(title);
    t.not(section, '', `the page has a section ${title}`);
    const said = [...steps, ...(notes ?? [])].join('\n');
    // What the console shows as a name of the provider, or as a claim.
    const names = [
      ...[...said.matchAll(/\*([^*]+)\*/g)].map(([, name]) => name!),
      ...(said.match(/\b(?:[a-z]+_[a-z]+|AUTH_[A-Z_]+|email[Aa]ddress|subject-id)\b/g) ?? []),
    ];
    t.ok(names.length > 5, title);
    for (const name of new Set(names)) t.ok(plain(section).includes(name), `${title}: the page names ${name}`);
    const places = [...section.matchAll(/\*\*([^*]+)\*\*/g)].map(([, name]) => name!);
    for (const name of new Set(places)) t.ok(said.includes(name), `${title}: the console names ${name}`);
    if (registerAt !== null && section.includes('](https://')) {
      const [, address = ''] = /\]\((https:[^)]*)\)/.exec(section) ?? [];
      t.ok(registerAt.startsWith(address), `${title}: ${registerAt} is at ${address}`);
    }
  }
});
