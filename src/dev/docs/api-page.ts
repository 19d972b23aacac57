import { endpoints } from '../../server/endpoints/index.js';

const INTRODUCTION = `# API

<!-- Generated from src/server/endpoints by \`npm run docs\`; do not edit by hand. -->

For developers. At the end you have found an endpoint and know who may call it. [The API at a glance](./build/overview.md) has the
most used ones.

[openapi.json](openapi.json), which the server also answers at \`/openapi.json\`, has their fields,
answers and errors; [Errors](./errors.md) explains each error. Caller: \`user\` sends the access token of an account, \`admin\` a
token of an administrator, \`scim\` one of provisioning, as \`Authorization: Bearer …\`.
`;

const callers = { none: 'anyone', user: 'user', admin: 'admin', scim: 'scim' };

/** The content of docs/api.md: a table of endpoints for each tag. */
export function renderApiPage(): string {
  const byTag = new Map<string, string[]>();
  for (const { method, path, summary, caller, tag } of endpoints) {
    const rows = byTag.get(tag) ?? [];
    byTag.set(tag, rows);
    rows.push(`| \`${method} ${path}\` | ${summary} | ${callers[caller]} |`);
  }
  const sections = [...byTag].map(
    ([tag, rows]) => `## ${tag}\n\n| Endpoint | What it does | Caller |\n|---|---|---|\n${rows.join('\n')}\n`,
  );
  return [INTRODUCTION, ...sections].join('\n');
}
