/** Schema of a provider in the database (built in admin/custom-providers/view.ts). */
import type { JsonSchema } from './contract.js';
import { placeProperties } from './provider-place-schema.js';

const text = (description: string): JsonSchema => ({ type: 'string', description });
const flag = (description: string): JsonSchema => ({ type: 'boolean', description });
const free = (description: string): JsonSchema => ({ type: 'object', description, additionalProperties: true });
const time = (description: string): JsonSchema => ({ type: 'string', format: 'date-time', description });
const texts = (description: string): JsonSchema => ({ type: 'array', items: { type: 'string' }, description });

const always = {
  id: { type: 'string', format: 'uuid', description: 'Id of the provider.' },
  provider_type: { enum: ['oauth2', 'oidc'], description: 'Protocol.' },
  identifier: text('Name in requests and identities: custom: and a name.'),
  name: text('Name for people.'),
  client_id: text('Client id at the provider.'),
  acceptable_client_ids: texts('Further client ids that ID tokens may be for.'),
  scopes: texts('Scopes that are requested.'),
  pkce_enabled: flag('PKCE (RFC 7636) is used.'),
  attribute_mapping: free('Target → name of a claim of the provider, or a value that is no text.'),
  custom_claims_allowlist: texts('Claims that are copied to custom_claims of the identity.'),
  authorization_params: free('Parameters of the authorization request.'),
  enabled: flag('Users can sign in with it.'),
  email_optional: flag('Users without an email address may sign in.'),
  skip_nonce_check: flag('The id_token grant does not compare the nonce.'),
  created_at: time('When it was added.'),
  updated_at: time('When it was last changed.'),
};
const onlyWhenSet = {
  issuer: text('Issuer (oidc).'),
  discovery_url: text('Address of the discovery document (oidc).'),
  discovery_document: free('The discovery document as it was fetched (oidc).'),
  authorization_url: text('Authorization endpoint (oauth2).'),
  token_url: text('Token endpoint (oauth2).'),
  userinfo_url: text('Endpoint of the profile (oauth2).'),
  jwks_uri: text('Address of the keys (oauth2).'),
  ...placeProperties,
};

export const customProvider: JsonSchema = {
  type: 'object',
  properties: { ...always, ...onlyWhenSet },
  required: Object.keys(always),
};
