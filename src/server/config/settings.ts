/** The table of settings: one row per variable, by section. Everything else (loading, types, docs) is derived from it. */
import { api, threads } from './settings/api.js';
import {
  type CustomProviderField,
  customIdentifier,
  type customProviderFields,
  customProviderSettings,
} from './settings/custom-providers.js';
import { database } from './settings/database.js';
import { mailer, smtp } from './settings/email.js';
import {
  externalSignIn,
  type ProviderField,
  type ProviderName,
  type providerFields,
  providerNames,
  providerSettings,
} from './settings/external.js';
import { observability } from './settings/observability.js';
import { phone } from './settings/phone.js';
import { security } from './settings/security.js';
import type { Section, Setting, ValueOf } from './settings/setting.js';
import { jwt, sessions } from './settings/tokens.js';
import { passwords, rateLimits, topLevel } from './settings/top-level.js';

export type { Rate } from './parse.js';
export type { IdTokenIssuer } from './parse-issuers.js';
export { findCustomNames } from './settings/custom-providers.js';
export { type ProviderName, providerNames } from './settings/external.js';
export { type SmsGatewayName, smsGatewayNames, smsGatewayNeeds } from './settings/phone.js';
export { mainNameOf, namesOf, type Setting } from './settings/setting.js';

const settings = {
  ...topLevel,
  ...rateLimits,
  ...passwords,
  ...api,
  ...threads,
  ...database,
  ...observability,
  ...jwt,
  ...sessions,
  ...externalSignIn,
  ...smtp,
  ...mailer,
  ...phone,
  ...security,
};

export type ProviderConfig = { readonly [F in ProviderField]: ValueOf<(typeof providerFields)[F]> };

export type CustomProviderConfig = {
  readonly [F in CustomProviderField]: ValueOf<(typeof customProviderFields)[F]>;
};

/**
 * The whole configuration: flat, plain data, cloned into every thread. A key is the variable in camelCase; durations
 * are in seconds; `null` means unset where unset has a meaning of its own, otherwise unset text is `''`.
 */
export type Config = { readonly [K in keyof typeof settings]: ValueOf<(typeof settings)[K]> } & {
  readonly providers: Readonly<Record<ProviderName, ProviderConfig>>;
  /** By what follows `custom:` in their names. */
  readonly customProviders: Readonly<Record<string, CustomProviderConfig>>;
};

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
  ['Database', database],
  ['Logging and observability', observability],
  ['JWT', jwt],
  ['Sessions and refresh tokens', sessions],
  ['Sign-in methods', externalSignIn],
  ['Mail server', smtp],
  ['Mails', mailer],
  ['Phone', phone],
  ['Captcha and reauthentication', security],
];

export const PROVIDER_SECTION = 'External providers';
export const CUSTOM_PROVIDER_SECTION = 'External providers of your own';

/** Every row whose name is known beforehand, in the order of the documentation. */
export const allSettings: readonly PlacedSetting[] = [
  ...sections.flatMap(([section, rows]) =>
    Object.entries(rows).map(([key, setting]) => ({ path: [key], section, setting })),
  ),
  ...providerNames.flatMap((name) =>
    Object.entries(providerSettings(name)).map(([field, setting]) => ({
      path: ['providers', name, field],
      section: PROVIDER_SECTION,
      setting,
    })),
  ),
];

/** The rows of one provider of the operator's own. @param name as variables spell it */
export function placeCustomSettings(name: string): PlacedSetting[] {
  return Object.entries(customProviderSettings(name)).map(([field, setting]) => ({
    path: ['customProviders', customIdentifier(name), field],
    section: CUSTOM_PROVIDER_SECTION,
    setting,
  }));
}
