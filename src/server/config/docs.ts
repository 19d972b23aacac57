/** The two documents made from the table: docs/settings.md and .env.example. Written by write-docs.ts. */
import {
  allSettings,
  CUSTOM_PROVIDER_SECTION,
  mainNameOf,
  namesOf,
  type PlacedSetting,
  PROVIDER_SECTION,
  placeCustomSettings,
  type Setting,
} from './settings.js';

const NOTICE = 'Generated from src/server/config/settings by `npm run docs`; do not edit by hand.';

const KIND_WORDS: Readonly<Record<Setting['kind'], string>> = {
  bool: 'true/false',
  int: 'whole number',
  float: 'number',
  duration: 'duration',
  text: 'text',
  url: 'URL',
  postgresUrl: 'URL',
  list: 'list',
  issuers: 'issuers',
  map: 'pairs',
  characterSets: 'character sets',
  rate: 'rate',
  time: 'time',
  headers: 'JSON',
  choice: 'word',
};

const INTRODUCTION = `# Settings

<!-- ${NOTICE} -->

The server reads its settings from environment variables and from a file: \`.env\` in the working directory, or the file
given with \`-c FILE\`. A variable in the environment wins over the file. An empty value counts as unset. Values that
cannot be understood, and required ones that are missing, are all reported at once, and the server exits with code 2.
\`latchkey check config\` shows what is set and from where, without showing a secret.

A supabase/auth deployment can be switched over with its environment unchanged: every \`AUTH_X\` is also read as
\`GOTRUE_X\`, which comes last. A secret can be kept in a file of its own: append \`_FILE\` to its variable and give the
path, as in \`AUTH_JWT_SECRET_FILE=/run/secrets/jwt\`; a newline at the end of that file is cut.

| Kind | What to write |
|---|---|
| true/false | \`true\`, \`t\`, \`1\`, \`false\`, \`f\` or \`0\`; not \`yes\` or \`on\` |
| whole number | \`10\`, \`0x1f\`, \`1_000\` |
| duration | \`90s\`, \`5m\`, \`1h30m\`, \`250ms\` (units ns, us, ms, s, m, h), or a bare number of seconds |
| list | items with commas between them; white space around an item is dropped, but not inside a list of secrets |
| issuers | \`https://issuer.example.com\` or \`https://issuer.example.com;audience,audience\`, with commas between them; an issuer may be named again |
| pairs | \`key:value\` with commas between them |
| rate | \`30\`: so many per hour; \`10/1m\`: 10 at once, then one more each minute |
| time | a moment in RFC 3339, such as \`2030-01-31T00:00:00Z\` |

In the file, write \`NAME=value\`, one a line; \`export\` before the name and comments with \`#\` are allowed. In single
quotes a value is taken as it stands, over several lines if need be; in double quotes \`\\n\` is a line break and \`\\"\` a
quote. \`$NAME\` and \`\${NAME}\` are replaced by variables set above or in the environment, except in single quotes: put a
secret that contains a dollar sign there.
`;

const CUSTOM_INTRODUCTION = `Any issuer of OpenID Connect can be used, known by its discovery document. NAME is yours to choose, of capitals, digits and
underscores: \`AUTH_EXTERNAL_CUSTOM_OUR_LOGIN_ISSUER\` and its neighbours make the provider \`custom:our-login\` of
\`GET /authorize\`. There may be several. \`latchkey check provider custom:our-login\` tries it out.
`;

/** The content of docs/settings.md. */
export function renderSettingsPage(): string {
  const parts = [INTRODUCTION];
  for (const [section, rows] of bySection()) {
    parts.push(`## ${section}\n`);
    if (section === PROVIDER_SECTION) {
      parts.push(
        'No provider is required. A provider that is on but lacks its id, secret or redirect URI fails at sign-in, and a\nnotice says so at start.\n',
      );
    }
    if (section === CUSTOM_PROVIDER_SECTION) parts.push(CUSTOM_INTRODUCTION);
    parts.push('| Variable | Kind | Default | Meaning |\n|---|---|---|---|');
    parts.push(`${rows.map(({ setting }) => renderRow(setting)).join('\n')}\n`);
  }
  return parts.join('\n');
}

function renderRow(setting: Setting): string {
  const main = mainNameOf(setting);
  const others = namesOf(setting).filter((name) => name !== main && name !== `GOTRUE_${setting.variable}`);
  const kind = setting.secret ? `${KIND_WORDS[setting.kind]}, secret` : KIND_WORDS[setting.kind];
  const cells = [
    `\`${main}\``,
    kind,
    setting.required ? '**required**' : setting.default ? `\`${setting.default}\`` : '',
    setting.doc +
      (others.length > 0 ? ` Also read as ${others.map((name) => `\`${name}\``).join(', ')}.` : '') +
      (setting.deprecated ? ' **Deprecated.**' : ''),
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

/** The content of .env.example. */
export function renderEnvExample(): string {
  const parts = [
    `# ${NOTICE.replaceAll('`', '')}`,
    '# Copy this file to .env and fill in what stands here without a # in front. docs/settings.md explains the syntax.',
    '',
  ];
  for (const [section, rows] of bySection()) {
    parts.push(`#### ${section}`, '');
    for (const { setting } of rows) {
      if (setting.deprecated) continue;
      const fallback = setting.required ? 'Required.' : setting.default ? `Default: ${setting.default}` : '';
      parts.push(`# ${setting.doc}${fallback && ` ${fallback}`}`);
      if (setting.required && section !== CUSTOM_PROVIDER_SECTION)
        parts.push(`${mainNameOf(setting)}=${requiredValue(setting)}`, '');
      else parts.push(`#${mainNameOf(setting)}=${quote(setting.example)}`, '');
    }
  }
  return parts.join('\n');
}

/** A secret is left empty, which is reported as missing: a made-up one would be put into service as it is. */
function requiredValue(setting: Setting): string {
  return setting.variable === 'JWT_SECRET' ? '' : quote(setting.example);
}

function quote(value: string): string {
  return /^[\w@%+=:,./*{}-]*$/.test(value) ? value : `'${value}'`;
}

function bySection(): Map<string, PlacedSetting[]> {
  const sections = new Map<string, PlacedSetting[]>();
  for (const placed of [...allSettings, ...placeCustomSettings('NAME')]) {
    const rows = sections.get(placed.section);
    if (rows === undefined) sections.set(placed.section, [placed]);
    else rows.push(placed);
  }
  return sections;
}
