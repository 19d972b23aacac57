/** The table of settings: one row per variable, by section. Everything else (loading, types, docs) is derived from it. */
import { type MailKind, mailKinds, type NoticeKind, noticeKinds, type PathKind } from '../message-kinds.js';
import type { MailContents } from './parse-mail-contents.js';
import { api, threads } from './settings/api.js';
import { consoleSettings } from './settings/console.js';
import {
  type CustomProviderField,
  customIdentifier,
  type customProviderFields,
  customProviderSettings,
  findCustomNames,
} from './settings/custom-providers.js';
import { database } from './settings/database.js';
import { dbEncryption } from './settings/db-encryption.js';
import { mailer, mailSettings } from './settings/email.js';
import { events } from './settings/events.js';
import {
  externalSignIn,
  type ProviderField,
  type ProviderName,
  type providerFields,
  providerNames,
  providerSettings,
} from './settings/external.js';
import { type HookField, type HookName, type hookFields, hookNames, hookSettings, hooks } from './settings/hooks.js';
import { mfa } from './settings/mfa.js';
import { oauthServer } from './settings/oauth-server.js';
import { observability } from './settings/observability.js';
import { organizations } from './settings/organizations.js';
import { pages } from './settings/pages.js';
import { passwords } from './settings/passwords.js';
import { noticeTextSettings, phone } from './settings/phone.js';
import { reloading } from './settings/reloading.js';
import { saml } from './settings/saml.js';
import { scim } from './settings/scim.js';
import { security } from './settings/security.js';
import type { Section, Setting, ValueOf } from './settings/setting.js';
import { smtp } from './settings/smtp.js';
import { jwt, sessions } from './settings/tokens.js';
import { rateLimits, topLevel } from './settings/top-level.js';
import { web3 } from './settings/web3.js';
import { webauthn } from './settings/webauthn.js';

export type { Rate } from './parse.js';
export type { HookSecret, HookUri } from './parse-hooks.js';
export type { IdTokenIssuer } from './parse-issuers.js';
export { findCustomNames } from './settings/custom-providers.js';
export { type ProviderName, providerNames } from './settings/external.js';
export { type HookName, hookNames, MAX_HOOK_SECONDS } from './settings/hooks.js';
export { type SmsGatewayName, smsGatewayNames, smsGatewayNeeds } from './settings/phone.js';
export { RELOAD_SIGNALS } from './settings/reloading.js';
export { mainNameOf, namesOf, type Setting } from './settings/setting.js';

const settings = {
  ...topLevel,
  ...rateLimits,
  ...passwords,
  ...api,
  ...threads,
  ...reloading,
  ...database,
  ...observability,
  ...jwt,
  ...sessions,
  ...externalSignIn,
  ...web3,
  ...smtp,
  ...mailer,
  ...phone,
  ...security,
  ...mfa,
  ...dbEncryption,
  ...webauthn,
  ...pages,
  ...hooks,
  ...events,
  ...oauthServer,
  ...saml,
  ...scim,
  ...organizations,
  ...consoleSettings,
};

export type ProviderConfig = { readonly [F in ProviderField]: ValueOf<(typeof providerFields)[F]> };

export type HookConfig = { readonly [F in Exclude<HookField, 'failOpen'>]: ValueOf<(typeof hookFields)[F]> } & {
  /** 'false': the only value of some hooks. */
  readonly failOpen: boolean | 'false';
};

export type CustomProviderConfig = {
  readonly [F in CustomProviderField]: ValueOf<(typeof customProviderFields)[F]>;
};

export interface MailConfig {
  readonly subject: string;
  readonly template: string;
  readonly contents: MailContents;
}

export interface NoticeTextConfig {
  readonly enabled: boolean;
  readonly template: string;
}

/**
 * The whole configuration: flat, plain data, cloned into every thread. A key is the variable in camelCase; durations
 * are in seconds; `null` means unset where unset has a meaning of its own, otherwise unset text is `''`.
 */
export type Config = { readonly [K in keyof typeof settings]: ValueOf<(typeof settings)[K]> } & {
  readonly mails: {
    readonly [K in MailKind]: MailConfig &
      (K extends PathKind ? { readonly urlPath: string } : object) &
      (K extends NoticeKind ? { readonly enabled: boolean } : object);
  };
  /** Notices as texts. */
  readonly texts: Readonly<Record<NoticeKind, NoticeTextConfig>>;
  readonly providers: Readonly<Record<ProviderName, ProviderConfig>>;
  readonly hooks: Readonly<Record<HookName, HookConfig>>;
  /** By what follows `custom:` in their names. */
  readonly customProviders: Readonly<Record<string, CustomProviderConfig>>;
};

type LastingKey = {
  [K in keyof typeof settings]: (typeof settings)[K] extends { readonly restart: true } ? K : never;
}[keyof typeof settings];

/**
 * The settings of rows with `restart`. Parts that live as long as their thread get no others, so that a row without it
 * is only read by parts that a reload makes anew (docs/decisions.md, Reloading the configuration).
 */
export type LastingConfig = Pick<Config, LastingKey>;

/** A row with its place in {@link Config}: `['jwtSecret']` or `['providers', 'github', 'secret']`. */
export interface PlacedSetting {
  readonly path: readonly string[];
  readonly section: string;
  readonly setting: Setting;
}

const sections: readonly (readonly [title: string, rows: Section])[] = [
  ['Top level', topLevel],
  ['Rate limits', rateLimits],
  ['Passwords', passwords],
  ['API', api],
  ['Threads', threads],
  ['Reloading', reloading],
  ['Database', database],
  ['Logging and observability', observability],
  ['JWT', jwt],
  ['Sessions and refresh tokens', sessions],
  ['Sign-in methods', externalSignIn],
  ['Sign-in with a wallet', web3],
  ['Mail server', smtp],
  ['Mails', mailer],
  ['Phone', phone],
  ['Captcha and reauthentication', security],
  ['Second factors', mfa],
  ['Encryption of secrets of second factors', dbEncryption],
  ['Passkeys and WebAuthn', webauthn],
  ['OAuth server', oauthServer],
  ['Sign-in at companies (SAML)', saml],
  ['Provisioning (SCIM)', scim],
  ['Organizations', organizations],
  ['Hosted pages', pages],
  ['Console', consoleSettings],
  ['Hooks', hooks],
  ['Events', events],
];

export const PROVIDER_SECTION = 'External providers';
export const CUSTOM_PROVIDER_SECTION = 'External providers of your own';

/** Every row whose name is known beforehand, in the order of the documentation. */
export const allSettings: readonly PlacedSetting[] = [
  ...sections.flatMap(([section, rows]) => [
    ...Object.entries(rows).map(([key, setting]) => ({ path: [key], section, setting })),
    ...(rows === mailer ? mailKinds.flatMap((kind) => placeMailSettings(kind, section)) : []),
    ...(rows === phone ? noticeKinds.flatMap((kind) => placeNoticeTexts(kind, section)) : []),
    ...(rows === hooks ? hookNames.flatMap((name) => placeHookSettings(name, section)) : []),
  ]),
  ...providerNames.flatMap((name) =>
    Object.entries(providerSettings(name)).map(([field, setting]) => ({
      path: ['providers', name, field],
      section: PROVIDER_SECTION,
      setting,
    })),
  ),
];

function placeMailSettings(kind: MailKind, section: string): PlacedSetting[] {
  return Object.entries(mailSettings(kind)).map(([field, setting]) => ({
    path: ['mails', kind, field],
    section,
    setting,
  }));
}

function placeNoticeTexts(kind: NoticeKind, section: string): PlacedSetting[] {
  return Object.entries(noticeTextSettings(kind)).map(([field, setting]) => ({
    path: ['texts', kind, field],
    section,
    setting,
  }));
}

function placeHookSettings(name: HookName, section: string): PlacedSetting[] {
  return Object.entries(hookSettings(name)).map(([field, setting]) => ({
    path: ['hooks', name, field],
    section,
    setting,
  }));
}

/** The rows of one provider of the operator's own. @param name as variables spell it */
export function placeCustomSettings(name: string): PlacedSetting[] {
  return Object.entries(customProviderSettings(name)).map(([field, setting]) => ({
    path: ['customProviders', customIdentifier(name), field],
    section: CUSTOM_PROVIDER_SECTION,
    setting,
  }));
}

/** All rows, with those of the providers of the operator's own that these names are about. */
export const placeWithCustom = (names: Iterable<string>): readonly PlacedSetting[] => [
  ...allSettings,
  ...findCustomNames(names).flatMap(placeCustomSettings),
];

const lastingKeys = allSettings.filter(({ setting }) => setting.restart).map(({ path }) => path[0] as LastingKey);

/** The settings of rows with `restart`, and no others. */
export function pickLasting(config: Config): LastingConfig {
  return Object.fromEntries(lastingKeys.map((key) => [key, config[key]])) as unknown as LastingConfig;
}

/** All rows by section, in order, with those of a custom provider NAME. */
export function settingsBySection(): Map<string, PlacedSetting[]> {
  const sections = new Map<string, PlacedSetting[]>();
  for (const placed of [...allSettings, ...placeCustomSettings('NAME')]) {
    const rows = sections.get(placed.section);
    if (rows === undefined) sections.set(placed.section, [placed]);
    else rows.push(placed);
  }
  return sections;
}
