import { catalogue } from '../../server/errors.js';

const NOTICE = 'Generated from src/server/errors/ by `npm run docs`; do not edit by hand.';

const INTRODUCTION = `# Errors

<!-- ${NOTICE} -->

API errors are JSON. \`error_code\` is for programs, \`msg\` for people:

\`\`\`json
{ "code": 400, "error_code": "invalid_credentials", "msg": "Invalid login credentials" }
\`\`\`

\`code\` repeats the HTTP status. A request with the header \`X-Supabase-Api-Version: 2024-01-01\` (or a later date) gets
\`{ "code": "invalid_credentials", "message": "Invalid login credentials" }\` instead, and the response repeats the version.
A 5xx of the first shape also has \`error_id\`, the request id under which the log has the cause. 429 and 503 have
\`Retry-After\` in seconds, 405 has \`Allow\`. A \`weak_password\` body has \`weak_password.reasons\`: \`length\`, \`characters\`,
\`pwned\`, \`common\`.

Parts in \`<angle brackets>\` are filled in. Messages may become clearer between releases; statuses and codes stay.
`;

/** The content of docs/errors.md: the catalogue by status, in the order it is written in. */
export function renderErrorsPage(): string {
  const byStatus = new Map<number, string[]>();
  for (const [status, code, message] of Object.values(catalogue)) {
    const rows = byStatus.get(status) ?? [];
    const row = `| \`${code}\` | ${escapeCell(message)} |`;
    if (!rows.includes(row)) rows.push(row);
    byStatus.set(status, rows);
  }
  const parts = [INTRODUCTION];
  for (const [status, rows] of [...byStatus].sort(([a], [b]) => a - b)) {
    parts.push(`## ${status}\n`, '| error_code | msg |\n|---|---|', `${rows.join('\n')}\n`);
  }
  return parts.join('\n');
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll(/<([a-z]+)>/g, '`<$1>`');
}
