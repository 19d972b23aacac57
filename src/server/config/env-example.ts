/** Files of settings to start from: the short one that is copied to .env, and one with every setting. */
import {
  allSettings,
  CUSTOM_PROVIDER_SECTION,
  mainNameOf,
  type PlacedSetting,
  type Setting,
  settingsBySection,
} from './settings.js';

interface Part {
  readonly title: string;
  /** Names of settings without their prefix. */
  readonly variables: readonly string[];
  /** Whether the lines are to be filled in rather than uncommented. Default false. */
  readonly isSet?: boolean;
}

/** What nearly every installation sets. The required settings come before them. */
const SHORT: readonly Part[] = [
  { title: 'Passwords: recommended for a new installation', variables: ['PASSWORD_COMMON_LIST'], isSet: true },
  {
    title: 'Mail: without it no address can be confirmed',
    variables: ['SMTP_HOST', 'SMTP_PORT', 'SMTP_USER', 'SMTP_PASS', 'SMTP_ADMIN_EMAIL', 'SMTP_SENDER_NAME'],
  },
  {
    title: 'An identity provider: the others have the same four settings',
    variables: [
      'EXTERNAL_GITHUB_ENABLED',
      'EXTERNAL_GITHUB_CLIENT_ID',
      'EXTERNAL_GITHUB_SECRET',
      'EXTERNAL_GITHUB_REDIRECT_URI',
    ],
  },
  { title: 'Behind a proxy: limits for each client', variables: ['RATE_LIMIT_HEADER', 'RATE_LIMIT_TRUSTED_HOPS'] },
];

const GENERATED = '# Generated from src/server/config/settings by npm run docs; do not edit by hand.';

/** The content of .env.example: the required settings, and what nearly every installation adds. */
export function renderEnvExample(): string {
  const rows = allSettings.map(({ setting }) => setting);
  const named = new Map(rows.map((setting) => [setting.variable, setting]));
  const required = rows.filter((setting) => setting.required);
  const lines = [
    GENERATED,
    '# Copy this file to .env and fill in the lines without a leading #. `latchkey config example --all` prints all settings,',
    '# and docs/settings.md explains them.',
    '',
    '#### Required',
    ...required.flatMap((setting) => [`# ${setting.doc}`, lineOf(setting, true)]),
  ];
  for (const { title, variables, isSet = false } of SHORT) {
    lines.push('', `#### ${title}`);
    for (const variable of variables) lines.push(lineOf(named.get(variable)!, isSet));
  }
  return `${lines.join('\n')}\n`;
}

/** Every setting with what it means, its default and an example; deprecated ones are left out. */
export function renderAllSettings(): string {
  const lines = ['# Every setting. Fill in the lines without a leading #; docs/settings.md explains the syntax.', ''];
  for (const [section, rows] of settingsBySection()) {
    lines.push(`#### ${section}`, '');
    for (const { setting } of rows.filter(isShown)) {
      const fallback = setting.required ? 'Required.' : setting.default ? `Default: ${setting.default}` : '';
      lines.push(`# ${setting.doc}${fallback && ` ${fallback}`}`);
      const isSet = setting.required === true && section !== CUSTOM_PROVIDER_SECTION;
      lines.push(lineOf(setting, isSet || isRecommended(setting)), '');
    }
  }
  return lines.join('\n');
}

const isShown = ({ setting }: PlacedSetting): boolean => setting.deprecated === undefined;

const isRecommended = ({ variable }: Setting): boolean =>
  SHORT.some(({ variables, isSet }) => isSet === true && variables.includes(variable));

/** A secret is left empty, so that it is reported as missing: an example would end up in production. */
function lineOf(setting: Setting, isSet: boolean): string {
  const value = isSet && setting.variable === 'JWT_SECRET' ? '' : quote(setting.example);
  return `${isSet ? '' : '#'}${mainNameOf(setting)}=${value}`;
}

const quote = (value: string): string => (/^[\w@%+=:,./*{}-]*$/.test(value) ? value : `'${value}'`);
