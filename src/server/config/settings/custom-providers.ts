/** Custom identity providers: any number of OpenID Connect issuers. */
import type { Setting } from './setting.js';

/** What can be set for each. */
export const customProviderFields = {
  issuer: { kind: 'url' },
  clientIds: { kind: 'list' },
  secret: { kind: 'text' },
  scopes: { kind: 'list', default: 'openid,email,profile' },
  enabled: { kind: 'bool', default: 'true' },
  redirectUri: { kind: 'url', anyScheme: true, default: '' },
  emailOptional: { kind: 'bool', default: 'false' },
  skipNonceCheck: { kind: 'bool', default: 'false' },
} as const;

export type CustomProviderField = keyof typeof customProviderFields;

const suffixes: Record<CustomProviderField, string> = {
  issuer: 'ISSUER',
  clientIds: 'CLIENT_ID',
  secret: 'SECRET',
  scopes: 'SCOPES',
  enabled: 'ENABLED',
  redirectUri: 'REDIRECT_URI',
  emailOptional: 'EMAIL_OPTIONAL',
  skipNonceCheck: 'SKIP_NONCE_CHECK',
};

const PATTERN = new RegExp(
  `^(?:AUTH|GOTRUE)_EXTERNAL_CUSTOM_([A-Z0-9]+(?:_[A-Z0-9]+)*?)_(?:${Object.values(suffixes).join('|')})(?:_FILE)?$`,
);

/** @returns the names, as variables spell them, of the providers that something is set for; sorted */
export function findCustomNames(variables: Iterable<string>): string[] {
  const names = new Set<string>();
  for (const variable of variables) {
    const name = PATTERN.exec(variable)?.[1];
    if (name !== undefined) names.add(name);
  }
  return [...names].sort();
}

/** What follows `custom:` in the name of the provider: lower case, with a dash for an underscore. */
export function customIdentifier(name: string): string {
  return name.toLowerCase().replaceAll('_', '-');
}

/** The rows of one provider. @param name as variables spell it */
export function customProviderSettings(name: string): Record<CustomProviderField, Setting> {
  const prefix = `EXTERNAL_CUSTOM_${name}`;
  const shown = `custom:${customIdentifier(name)}`;
  const row = <F extends CustomProviderField>(field: F) => ({
    ...customProviderFields[field],
    variable: `${prefix}_${suffixes[field]}`,
  });
  return {
    issuer: {
      ...row('issuer'),
      ofOwners: true,
      required: true,
      doc: `Issuer of ${shown}, exactly as its discovery document spells it.`,
      example: 'https://login.example.com',
    },
    clientIds: {
      ...row('clientIds'),
      required: true,
      doc: `Client id at ${shown}; of several, the first is used for sign-in and all are accepted in ID tokens.`,
      example: 'my-client-id',
    },
    secret: {
      ...row('secret'),
      required: true,
      secret: true,
      doc: `Client secret at ${shown}.`,
      example: 'CLIENT-SECRET',
    },
    scopes: {
      ...row('scopes'),
      doc: `Scopes that ${shown} is requested with; openid is always included.`,
      example: 'openid,email,profile,groups',
    },
    enabled: { ...row('enabled'), doc: `Sign-in with ${shown}.`, example: 'false' },
    redirectUri: {
      ...row('redirectUri'),
      doc: `Where ${shown} redirects users to; empty means API_EXTERNAL_URL and /callback.`,
      example: 'https://auth.example.com/callback',
    },
    emailOptional: {
      ...row('emailOptional'),
      doc: `Admits users of ${shown} without an email address.`,
      example: 'true',
    },
    skipNonceCheck: {
      ...row('skipNonceCheck'),
      doc: `Accepts ID tokens of ${shown} in the id_token grant without comparing the nonce.`,
      example: 'true',
    },
  };
}
