/** Schema of the identity provider of a company (built in saml/providers/view-sso-provider.ts). */
import type { JsonSchema } from './contract.js';
import { placeProperties } from './provider-place-schema.js';
import { scimSchemas } from './scim-schema.js';

const text = (description: string) => ({ type: 'string', description });
const optionalText = (description: string) => ({ type: ['string', 'null'], description });
const flag = (description: string) => ({ type: 'boolean', description });

const ssoDomain: JsonSchema = {
  type: 'object',
  properties: {
    domain: text('In lower case.'),
    status: { enum: ['pending', 'verified'], description: 'Only where domains must be proven.' },
    record: {
      type: 'object',
      description: 'What proves it, once the DNS has it; only where domains must be proven.',
      properties: { name: text('Name of the record.'), type: { enum: ['TXT'] }, value: text('Its text.') },
      required: ['name', 'type', 'value'],
    },
  },
  required: ['domain'],
};

const ssoProvider: JsonSchema = {
  type: 'object',
  properties: {
    id: { type: 'string', format: 'uuid', description: 'Id of the provider.' },
    resource_id: text('An id of your own.'),
    disabled: { type: ['boolean', 'null'], description: 'True: sign-ins there are refused.' },
    ...placeProperties,
    saml: {
      type: 'object',
      properties: {
        entity_id: text('Entity id of the identity provider.'),
        metadata_xml: text('Its metadata; not in lists.'),
        metadata_url: text('Where its metadata is.'),
        attribute_mapping: { type: 'object', description: 'Which attribute becomes which claim.' },
        name_id_format: text('persistent, emailAddress, transient or unspecified.'),
        certificates: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              fingerprint: text('SHA-256 of the certificate.'),
              not_after: { type: 'string', format: 'date-time', description: 'When it ends.' },
            },
            required: ['fingerprint', 'not_after'],
          },
        },
        valid_until: optionalText('When the metadata ends; null: it does not say.'),
        metadata_refreshed_at: text('When the metadata was last read.'),
        metadata_error: optionalText('Why it could not be read the last time; null: it could.'),
        idp_initiated: flag('Sign-ins may begin at the identity provider; default true.'),
        enforced: flag('Addresses of its domains sign in there only.'),
        force_authn: flag('The person has to sign in again there each time.'),
        authn_context: text('URI of the way to sign in that is asked for.'),
      },
      required: ['entity_id', 'attribute_mapping', 'certificates', 'metadata_refreshed_at'],
    },
    domains: {
      type: 'array',
      items: ssoDomain,
    },
    created_at: { type: 'string', format: 'date-time', description: 'When it was added.' },
    updated_at: { type: 'string', format: 'date-time', description: 'When an administrator last changed it.' },
  },
  required: ['id', 'disabled', 'saml', 'domains', 'created_at', 'updated_at'],
};

const ssoLogout: JsonSchema = {
  type: 'object',
  properties: {
    sso_logout_url: { type: 'string', format: 'uri', description: 'Where the session ends at the company.' },
  },
  required: ['sso_logout_url'],
};

export const ssoSchemas: Readonly<Record<string, JsonSchema>> = {
  SsoProvider: ssoProvider,
  SsoDomain: ssoDomain,
  SsoLogout: ssoLogout,
  ...scimSchemas,
};
