import { randomBytes } from 'node:crypto';
import { quoteEnv } from '../../config/env-file.js';
import { describeTokenKey, generateTokenKey } from '../../keys/generate.js';
import type { Answers } from './answers.js';

/** Of the console, where there is an operator. */
export const CONSOLE_PORT = '8082';
/** What a generated secret has, in bytes. */
const SECRET_BYTES = 48;

/** @returns the content of .env, with secrets that are generated here */
export function renderEnvText(answers: Answers): string {
  const lines = [
    '# Written by latchkey init. It has secrets: keep a copy in a safe place, and keep it out of git.',
    '# docs/settings.md has every setting; latchkey check config shows what is set.',
  ];
  for (const [title, settings] of sectionsOf(answers)) {
    const set = Object.entries(settings).filter(([, text]) => text !== '');
    if (set.length > 0) lines.push('', `#### ${title}`, ...set.map(([name, text]) => `${name}=${quoteEnv(text)}`));
  }
  return `${lines.join('\n')}\n`;
}

type SettingTexts = Readonly<Record<string, string>>;

function sectionsOf(answers: Answers): [string, SettingTexts][] {
  const { siteUrl, domain, mail, pagesName, providers, launcher, operator } = answers;
  const isCompose = launcher === 'compose';
  return [
    ['Addresses', { AUTH_SITE_URL: siteUrl, AUTH_API_EXTERNAL_URL: `https://${domain}`, LATCHKEY_DOMAIN: domain }],
    ['Database', { AUTH_DB_DRIVER: 'postgres', ...databaseOf(answers) }],
    ['Secrets', { AUTH_JWT_SECRET: makeSecret(), AUTH_JWT_KEYS: makeSigningKeys() }],
    ['Behind the proxy', { AUTH_RATE_LIMIT_HEADER: 'X-Real-IP', AUTH_API_HOST: isCompose ? '' : '127.0.0.1' }],
    ['Upkeep', { AUTH_DB_CLEANUP_ENABLED: 'true', AUTH_PASSWORD_COMMON_LIST: 'true' }],
    [
      'Mail',
      mail === null
        ? {}
        : {
            ...{ AUTH_SMTP_HOST: mail.host, AUTH_SMTP_PORT: mail.port, AUTH_SMTP_USER: mail.user },
            ...{ AUTH_SMTP_PASS: mail.password, AUTH_SMTP_ADMIN_EMAIL: mail.from },
            AUTH_SMTP_SENDER_NAME: pagesName ?? '',
          },
    ],
    ['Hosted pages', pagesName === null ? {} : { AUTH_PAGES_ENABLED: 'true', AUTH_PAGES_NAME: pagesName }],
    ...providers.map(({ name, fields }): [string, SettingTexts] => {
      const prefix = `AUTH_EXTERNAL_${name.toUpperCase()}`;
      return [
        `Sign-in with ${name}`,
        {
          ...{ [`${prefix}_ENABLED`]: 'true', [`${prefix}_REDIRECT_URI`]: `https://${domain}/callback` },
          ...Object.fromEntries(Object.entries(fields).map(([field, text]) => [`${prefix}_${field}`, text])),
        },
      ];
    }),
    ['Console', operator === null ? {} : consoleOf(isCompose)],
  ];
}

function databaseOf({ databaseUrl }: Answers): SettingTexts {
  if (databaseUrl !== null) return { DATABASE_URL: databaseUrl };
  // Letters and digits: it becomes part of a URL.
  const password = randomBytes(24).toString('hex');
  return { POSTGRES_PASSWORD: password, DATABASE_URL: `postgres://latchkey:${password}@postgres:5432/latchkey` };
}

/** Browsers reach it through SSH; in a container it listens to the port that compose publishes on the machine itself. */
const consoleOf = (isCompose: boolean): SettingTexts => ({
  ...{ AUTH_CONSOLE_PORT: CONSOLE_PORT, AUTH_CONSOLE_URL: `http://localhost:${CONSOLE_PORT}` },
  AUTH_CONSOLE_HOST: isCompose ? '0.0.0.0' : '',
});

const makeSecret = (): string => randomBytes(SECRET_BYTES).toString('base64url');

/** Applications verify tokens by the public half, which needs no secret of theirs. */
const makeSigningKeys = (): string => JSON.stringify([describeTokenKey(generateTokenKey('ES256', null))]);
