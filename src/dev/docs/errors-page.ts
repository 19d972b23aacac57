/** The pages of API errors, from the catalogue and from what the console says of each. */
import { explanations } from '../../server/console/explanations/index.js';
import { adminEntries } from '../../server/errors/admin-errors.js';
import { callerEntries } from '../../server/errors/caller-errors.js';
import { codeEntries } from '../../server/errors/code-errors.js';
import { consoleEntries } from '../../server/errors/console-errors.js';
import { factorEntries } from '../../server/errors/factor-errors.js';
import { hookEntries } from '../../server/errors/hook-errors.js';
import { oauthEntries } from '../../server/errors/oauth-errors.js';
import { organizationEntries } from '../../server/errors/organization-errors.js';
import { pageEntries } from '../../server/errors/page-errors.js';
import { passkeyEntries } from '../../server/errors/passkey-errors.js';
import { providerEntries } from '../../server/errors/provider-errors.js';
import { requestEntries } from '../../server/errors/request-errors.js';
import { scimEntries } from '../../server/errors/scim-errors.js';
import { serverEntries } from '../../server/errors/server-errors.js';
import { signInEntries } from '../../server/errors/sign-in-errors.js';
import { signUpEntries } from '../../server/errors/sign-up-errors.js';
import { ssoEntries } from '../../server/errors/sso-errors.js';
import { userEntries } from '../../server/errors/user-errors.js';
import { walletEntries } from '../../server/errors/wallet-errors.js';
import { catalogue, type ErrorName } from '../../server/errors.js';

const NOTICE = 'Generated from src/server/errors/ by `npm run docs`; do not edit by hand.';

interface Area {
  readonly title: string;
  readonly about: string;
  readonly entries: object;
}

/** Each becomes docs/errors/<key>.md. */
const areas: Readonly<Record<string, Area>> = {
  requests: {
    title: 'any request',
    about: 'Bodies, tokens, limits, overload, faults of the server.',
    entries: { ...requestEntries, ...callerEntries, ...serverEntries },
  },
  'sign-in': {
    title: 'sign-up and sign-in',
    about: 'Addresses, passwords, codes and links, sessions, changes of an account.',
    entries: { ...signUpEntries, ...signInEntries, ...codeEntries, ...userEntries },
  },
  factors: {
    title: 'second factors and passkeys',
    about: 'Enrolment, verification, assurance levels, recovery codes, passkeys.',
    entries: { ...factorEntries, ...passkeyEntries },
  },
  providers: {
    title: 'identity providers and wallets',
    about: 'Sign-in at providers, linking, ID tokens, wallets.',
    entries: { ...providerEntries, ...walletEntries },
  },
  companies: {
    title: 'organizations and companies',
    about: 'Members, roles, invitations, domains, single sign-on.',
    entries: { ...organizationEntries, ...ssoEntries },
  },
  scim: { title: 'provisioning', about: 'What identity providers send by SCIM.', entries: scimEntries },
  oauth: { title: 'the OAuth server', about: 'Clients, consents, codes and tokens of clients.', entries: oauthEntries },
  administration: {
    title: 'administration, hooks and pages',
    about: 'The admin API, the console, hooks, hosted pages.',
    entries: { ...adminEntries, ...consoleEntries, ...hookEntries, ...pageEntries },
  },
};

const INDEX = `# Errors

<!-- ${NOTICE} -->

For developers of clients, and for operators who read a log. At the end you know what an error looks like, and where its code is
explained. The search of the site finds each code.

API errors are JSON. \`error_code\` is for programs, \`msg\` for people:

\`\`\`json
{ "code": 400, "error_code": "invalid_credentials", "msg": "Invalid login credentials" }
\`\`\`

\`code\` repeats the HTTP status. A request with the header \`X-Supabase-Api-Version: 2024-01-01\` (or a later date) gets
\`{ "code": "invalid_credentials", "message": "Invalid login credentials" }\` instead, and the response repeats the version.
A \`weak_password\` body has \`weak_password.reasons\`: \`length\`, \`characters\`, \`pwned\`, \`common\`. Messages may become clearer
between releases; statuses and codes stay.

## By status

| Status | Means | Try again? |
|---|---|---|
| 400, 422 | the request is wrong, or what it asks for is not possible | not unchanged |
| 401, 403 | the token is missing, has ended, or may not do this | after a refresh, a new sign-in or a second factor |
| 404, 405 | no such thing, or not by this method, which \`Allow\` lists | no |
| 409 | another request, or the state of the account, is in the way | after reading again |
| 413, 431 | the body or the headers are too large | smaller |
| 429 | over a limit | after \`Retry-After\` seconds |
| 500 | a fault; the log has its cause under \`error_id\` | perhaps |
| 503 | overloaded, or without its database | after \`Retry-After\` seconds |

## By area

`;

/** @returns the content of each page by its path, docs/errors.md first */
export function renderErrorPages(): ReadonlyMap<string, string> {
  const rows = Object.entries(areas).map(
    ([name, { title, about }]) => `| [Errors of ${title}](errors/${name}.md) | ${about} |`,
  );
  const index = `${INDEX}| Page | About |\n|---|---|\n${rows.join('\n')}\n`;
  return new Map([
    ['docs/errors.md', index],
    ...Object.entries(areas).map(([name, area]) => [`docs/errors/${name}.md`, renderArea(area)] as const),
  ]);
}

function renderArea({ title, about, entries }: Area): string {
  const rows = (Object.keys(entries) as ErrorName[])
    .map((name) => ({ name, status: catalogue[name][0], code: catalogue[name][1], message: catalogue[name][2] }))
    .sort((a, b) => compare(a.code, b.code) || a.status - b.status || compare(a.message, b.message))
    .map(
      ({ name, status, code, message }) => `| \`${code}\` | ${status} | ${escapeCell(message)} | ${adviceOf(name)} |`,
    );
  return `# Errors of ${title}

<!-- ${NOTICE} -->

For developers of clients, and for operators. At the end you know what an error means and what to do about it. ${about}

Parts in \`<angle brackets>\` are filled in.

| error_code | Status | msg | What to do |
|---|---|---|---|
${[...new Set(rows)].join('\n')}
`;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** With a link to each page that it names. */
function adviceOf(name: ErrorName): string {
  const [, advice, ...settings] = explanations[name];
  const text = escapeCell(advice).replaceAll(/docs\/([\w/-]+\.md)/g, '[$1](../$1)');
  return settings.length === 0 ? text : `${text} ${settings.map((setting) => `\`${setting}\``).join(', ')}`;
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll(/<([a-z]+)>/g, '`<$1>`');
}
