/** Schemas of the authorization server's endpoints (built in oauth/client-view.ts, consent-view.ts and token.ts). */
import type { JsonSchema } from './contract.js';

const text = (description: string): JsonSchema => ({ type: 'string', description });
const texts = (description: string): JsonSchema => ({ type: 'array', items: { type: 'string' }, description });
const time = (description: string): JsonSchema => ({ type: 'string', format: 'date-time', description });

const clientMembers = {
  client_id: { type: 'string', format: 'uuid', description: 'Id of the client.' },
  client_type: { enum: ['public', 'confidential'], description: 'Whether it can keep a secret.' },
  redirect_uris: texts('Where users may be sent back to.'),
  token_endpoint_auth_method: text('How the client proves who it is.'),
  grant_types: texts('What it may use the token endpoint for.'),
  response_types: texts('code; none where authorization_code is not among grant_types.'),
  client_name: text('Name for users.'),
  client_uri: text('Home page.'),
  logo_uri: text('Picture.'),
  scope: text('The only scopes it may ask for, separated by spaces.'),
  post_logout_redirect_uris: texts('Where users may be sent back to after a logout.'),
  backchannel_logout_uri: text('Where it hears of the end of its sessions.'),
  backchannel_logout_session_required: {
    type: 'boolean',
    description: 'Whether it needs sid, which it gets in any case.',
  },
  subject_type: text('pairwise: clients of other sectors know users by other names.'),
  sector_identifier_uri: text('Lists the redirect URIs of all clients of the sector.'),
  dpop_bound_access_tokens: { type: 'boolean', description: 'Its requests for tokens need a DPoP proof.' },
  jwks: {
    type: 'object',
    properties: { keys: { type: 'array', items: { type: 'object', additionalProperties: true } } },
    description: 'Keys by which it proves who it is.',
  },
  jwks_uri: text('Where it publishes them.'),
  role: text('Role of the tokens that it gets for itself.'),
  resources: texts('Resources that it serves: it may introspect their tokens.'),
  organization_id: { type: 'string', format: 'uuid', description: 'The only organization that it serves.' },
  organization_roles: texts('What it is in that organization when it gets a token for itself.'),
  refresh_token_ttl: { type: 'integer', description: 'Seconds for which it may refresh its tokens.' },
  client_id_metadata_document: text('Address of the document about the client, which is the id that it uses.'),
  registration_type: { enum: ['dynamic', 'manual'], description: 'dynamic: the client has registered itself.' },
  created_at: time('When it was registered.'),
  updated_at: time('When it was last changed.'),
};
const optional = new Set([
  ...['client_name', 'client_uri', 'logo_uri', 'scope', 'role', 'resources', 'refresh_token_ttl'],
  ...['client_id_metadata_document', 'post_logout_redirect_uris'],
  ...['backchannel_logout_uri', 'backchannel_logout_session_required'],
  ...['dpop_bound_access_tokens', 'subject_type', 'sector_identifier_uri', 'organization_id', 'organization_roles'],
  ...['jwks', 'jwks_uri'],
]);
const required = Object.keys(clientMembers).filter((name) => !optional.has(name));

export const oauthClient: JsonSchema = { type: 'object', properties: clientMembers, required };

export const newOauthClient: JsonSchema = {
  type: 'object',
  properties: {
    ...clientMembers,
    client_secret: text('Of confidential clients; it is shown only once.'),
    client_secret_expires_at: { type: 'integer', description: '0: it does not expire.' },
  },
  required,
};

export const registeredOauthClient: JsonSchema = {
  type: 'object',
  properties: {
    ...(newOauthClient['properties'] as Record<string, JsonSchema>),
    registration_access_token: text('Bearer of the calls to registration_client_uri.'),
    registration_client_uri: text('Where the client reads, changes and deletes its registration.'),
  },
  required: [...required, 'registration_access_token', 'registration_client_uri'],
};

export const namedClient: JsonSchema = {
  type: 'object',
  properties: {
    id: text('Id of the client, or the address of the document about it.'),
    name: text('Its name.'),
    uri: text('Its home page.'),
    logo_uri: text('Its picture.'),
  },
  required: ['id', 'name', 'uri', 'logo_uri'],
};

/** For which organization the user may allow it. */
export const organizationChoice: Readonly<Record<string, JsonSchema>> = {
  organizations: {
    type: 'array',
    items: {
      type: 'object',
      properties: { id: text('Id of the organization.'), name: text('Its name.'), slug: text('Its slug.') },
      required: ['id', 'name', 'slug'],
    },
    description: 'Those of the user that it may be for, 200 at most; absent: it is for none.',
  },
  organization_choice: {
    type: 'boolean',
    description: 'The user has to say which, in `organization_id` of the decision.',
  },
};

export const oauthAuthorization: JsonSchema = {
  type: 'object',
  properties: {
    authorization_id: text('Id of the request.'),
    redirect_uri: text('Where the user is sent back to.'),
    redirect_url: text('Alone: the user has allowed it before; send the browser there.'),
    client: namedClient,
    user: { type: 'object', properties: { id: text('Id of the user.'), email: text('Address of the user.') } },
    scope: text('As the client sent it.'),
    login_hint: text('As the client sent it.'),
    ...organizationChoice,
  },
};

export const oauthRedirect: JsonSchema = {
  type: 'object',
  properties: { redirect_url: text('Where to send the browser.') },
  required: ['redirect_url'],
};

export const oauthGrant: JsonSchema = {
  type: 'object',
  properties: { client: namedClient, scopes: texts('What it may do.'), granted_at: time('When it was allowed.') },
  required: ['client', 'scopes', 'granted_at'],
};

export const oauthTokens: JsonSchema = {
  type: 'object',
  properties: {
    access_token: text('A JWT.'),
    token_type: text('bearer, or DPoP for a token that is bound to a key.'),
    expires_in: { type: 'integer', description: 'Lifetime in seconds.' },
    refresh_token: text('For the next tokens; it can be used once.'),
    id_token: text('With the scope openid.'),
    scope: text('The scopes of the access token.'),
  },
  required: ['access_token', 'token_type', 'expires_in'],
};

export const introspection: JsonSchema = {
  type: 'object',
  properties: {
    active: { type: 'boolean', description: 'False: nothing else is said.' },
    client_id: text('The client that got the token.'),
    sub: text('Id of the user, or its pairwise subject for the client that asks.'),
    iss: text('This server.'),
    aud: { type: ['string', 'array'], items: { type: 'string' }, description: 'What the token is for.' },
    scope: text('Its scopes.'),
    exp: { type: 'integer', description: 'When it expires, in seconds since the epoch.' },
    iat: { type: 'integer', description: 'When it was issued.' },
    token_type: text('Bearer or DPoP, for access tokens.'),
    cnf: { type: 'object', properties: { jkt: text('Thumbprint of the key that the token is bound to.') } },
    org_id: text('Id of the organization that it acts for.'),
    org_slug: text('Its slug.'),
    org_roles: texts('Roles in it.'),
    org_permissions: texts('What they permit.'),
  },
  required: ['active'],
};

export const userinfo: JsonSchema = {
  type: 'object',
  properties: { sub: text('Id of the user, or its pairwise subject.') },
  required: ['sub'],
};
