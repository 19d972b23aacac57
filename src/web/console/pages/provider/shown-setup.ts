import type { ListedSetting } from '../../core/setting.js';
import type { StoredSettings } from '../../parts/stored-form.js';
import { addressOfProvider } from './shown-provider.js';

export interface ShownSetup extends StoredSettings {
  readonly callback_url: string;
  readonly register_at: string | null;
  readonly steps: readonly string[];
  readonly notes: readonly string[];
}

/** By the end of the name, in the order of the form. */
const labels: Readonly<Record<string, string>> = {
  ENABLED: 'Sign-in is on',
  ISSUER: 'Issuer',
  CLIENT_ID: 'Client ID',
  SECRET: 'Client secret',
  TEAM_ID: 'Team ID',
  KEY_ID: 'ID of the key',
  URL: 'Address',
  SCOPES: 'Scopes',
  REDIRECT_URI: 'Redirect address',
  EMAIL_OPTIONAL: 'Users without an email address',
  SKIP_NONCE_CHECK: 'ID tokens with any nonce',
};
const ends = Object.keys(labels);

export interface SetupField {
  /** Such as CLIENT_ID. */
  readonly end: string;
  readonly label: string;
  /** As the draft names it, which may have those of other providers. */
  readonly setting: ListedSetting;
}

/** @param title of the provider */
export function fieldsOf(name: string, title: string, settings: readonly ListedSetting[]): readonly SetupField[] {
  const prefix = prefixOf(name);
  return settings
    .filter(({ storable }) => storable)
    .map((setting) => {
      const end = setting.name.slice(prefix.length);
      const label = labels[end] ?? setting.form?.label ?? setting.name;
      const form = setting.form && { ...setting.form, label: `${title}: ${label}`, tab: '' };
      return { end, label, setting: { ...setting, form, page: addressOfProvider(name) } };
    })
    .sort((a, b) => orderOf(a) - orderOf(b));
}

const orderOf = ({ end }: SetupField): number => (ends.includes(end) ? ends.indexOf(end) : ends.length);

const prefixOf = (name: string): string =>
  `AUTH_EXTERNAL_${name
    .replace(/^custom:/, 'custom_')
    .replaceAll('-', '_')
    .toUpperCase()}_`;
