/** Renders docs/settings.md from the table of settings. */
import {
  CUSTOM_PROVIDER_SECTION,
  mainNameOf,
  namesOf,
  PROVIDER_SECTION,
  type Setting,
  settingsBySection,
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
  domains: 'domains',
  map: 'pairs',
  characterSets: 'character sets',
  rate: 'rate',
  time: 'time',
  headers: 'JSON',
  image: 'data URL',
  mailContents: 'JSON',
  choice: 'word',
  tokenKeys: 'JSON',
  hookUri: 'URL',
  hookSecrets: 'keys',
};

const INTRODUCTION = `# Settings

<!-- ${NOTICE} -->

For operators. At the end you have found a setting, by its name or its topic, and know where to write it. The search of the site
finds each setting by any word of its meaning.
`;

const READING = `## How settings are read

The server reads its settings from environment variables and from a file: \`.env\` in the working directory, or the file
given with \`-c FILE\` (also a \`.json\`, one object of names and strings). The environment takes precedence over the file, and
the \`*.env\` and \`*.json\` files of the folder given with \`-d DIR\` over both. An empty value counts as unset. Invalid values
and missing required ones are all reported at once, and the server exits with code 2. \`latchkey check config\` shows what
is set and from where, without showing secrets. SIGHUP reads them again; a setting marked so takes effect with a restart.

The database comes after all of them: what they leave open can be set there, by \`latchkey config set\` or in the console, and every
server uses it within five seconds. That holds for each setting except those that take effect with a restart, those marked
*Not in the database*, and deprecated ones. \`latchkey config import\` puts there what the environment and the files set; until it is
removed from them, they come first. See [Settings in the database](./run/stored-settings.md).

The environment of a supabase/auth deployment works unchanged: every \`AUTH_X\` is also read as \`GOTRUE_X\`, with the lowest
precedence. A secret can be read from a file: append \`_FILE\` to its variable and give the path, as in
\`AUTH_JWT_SECRET_FILE=/run/secrets/jwt\`; a trailing newline is cut.

| Kind | What to write |
|---|---|
| true/false | \`true\`, \`t\`, \`1\`, \`false\`, \`f\` or \`0\`; not \`yes\` or \`on\` |
| whole number | \`10\`, \`0x1f\`, \`1_000\` |
| duration | \`90s\`, \`5m\`, \`1h30m\`, \`250ms\` (units ns, us, ms, s, m, h), or a bare number of seconds |
| list | comma-separated items; white space around an item is dropped, except in lists of secrets |
| issuers | \`https://issuer.example.com\` or \`https://issuer.example.com;audience,audience\`, comma-separated; an issuer may be repeated |
| pairs | comma-separated \`key:value\` |
| domains | comma-separated \`provider=domain\` |
| rate | \`30\`: 30 per hour; \`10/1m\`: 10 at once, then one more each minute |
| time | an RFC 3339 timestamp, such as \`2030-01-31T00:00:00Z\` |

In the file, write \`NAME=value\`, one a line; \`export\` before the name and comments with \`#\` are allowed. In single
quotes a value is taken literally, even over several lines; in double quotes \`\\n\` is a line break and \`\\"\` a
quote. \`$NAME\` and \`\${NAME}\` are replaced by variables set above or in the environment, except in single quotes: put a
secret that contains a dollar sign there.
`;

const CUSTOM_INTRODUCTION = `Any OpenID Connect issuer can be added by its discovery document. Choose a NAME of capitals, digits and underscores:
\`AUTH_EXTERNAL_CUSTOM_OUR_LOGIN_ISSUER\` and the settings below create the provider \`custom:our-login\` of
\`GET /authorize\`. There may be several. \`latchkey check provider custom:our-login\` tests one.
`;

/** The content of docs/settings.md. */
export function renderSettingsPage(): string {
  const parts = [INTRODUCTION, renderTopics()];
  for (const [section, rows] of settingsBySection()) {
    parts.push(`## ${section}\n`);
    if (section === PROVIDER_SECTION) {
      parts.push(
        'No provider is required. A provider that is enabled without id, secret or redirect URI fails at sign-in; a\nnotice at start reports it.\n',
      );
    }
    if (section === CUSTOM_PROVIDER_SECTION) parts.push(CUSTOM_INTRODUCTION);
    parts.push('| Variable | Kind | Default | Meaning |\n|---|---|---|---|');
    parts.push(`${rows.map(({ setting }) => renderRow(setting)).join('\n')}\n`);
  }
  return [...parts, READING].join('\n');
}

/** Links to the sections, with how many settings each has. */
function renderTopics(): string {
  const topics = [...settingsBySection()].map(([section, rows]) => {
    const anchor = section
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-');
    return `- [${section}](#${anchor}) (${rows.length})`;
  });
  return `## Topics\n\n${topics.join('\n')}\n- [How settings are read](#how-settings-are-read): files, kinds of values, precedence\n`;
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
      (setting.restart ? ' *Takes effect with a restart.*' : '') +
      (setting.notStored === undefined ? '' : ` *Not in the database: ${setting.notStored}.*`) +
      (setting.deprecated ? ' **Deprecated.**' : ''),
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
