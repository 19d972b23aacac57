/** The fields of request bodies. A name has one schema and one meaning in all endpoints. */
import type { FromSchema } from 'json-schema-to-ts';
import type { ObjectSchema } from '../../http/types.js';

const text = (description: string) => ({ type: 'string', description }) as const;
const flag = (description: string) => ({ type: 'boolean', description }) as const;
const list = (description: string) => ({ type: 'array', items: { type: 'string' }, description }) as const;
const object = (description: string) => ({ type: 'object', description }) as const;

export const allFields = {
  email: text('Email address; stored in lower case.'),
  new_email: text('The new address (types email_change_current and email_change_new).'),
  phone: text('Phone number in E.164, with or without plus.'),
  password: text('The password.'),
  current_password: text('The password until now, where a new one needs it.'),
  password_hash: text('Instead of a password: its Argon2, bcrypt or Firebase scrypt hash.'),
  nonce: text('The nonce that GET /reauthenticate sent, or the nonce of the ID token.'),
  data: object('Merged into user_metadata.'),
  user_metadata: object('Merged into user_metadata; null removes a key.'),
  app_metadata: object('Merged into app_metadata; null removes a key. Only for administrators.'),
  channel: text('Channel to a phone: sms or whatsapp.'),
  factor_type: text('totp, phone or webauthn.'),
  friendly_name: text('Name of the factor or passkey, for its user.'),
  challenge_id: text('The challenge to answer.'),
  code: text('The code of the authenticator app or the text message.'),
  credential: object('What the browser answered, in its JSON form (WebAuthn Level 3).'),
  mediation: text('conditional: the page offers passkeys as autofill, and the challenge lives longer.'),
  webauthn: object(
    'Of a webauthn factor: type (create or request) and credential_response, what the browser answered.',
  ),
  form_token: text('Hidden field of the form.'),
  action: text('Which button of the form was pressed.'),
  address: text('Email address or phone number, as typed.'),
  session_id: text('A session of this browser.'),
  entry_id: text('What a form of the account page is about: a session, client, factor, passkey, identity or device.'),
  factor_id: text('Id of a second factor, or recovery for a recovery code.'),
  website: text('A field that people do not see; it must be empty.'),
  credential_json: text('What the browser answered, as JSON text.'),
  trust_device: {
    type: 'object',
    properties: { name: { type: 'string', maxLength: 120 } },
    description: 'With a name for the user: the answer has a trusted_device_token for later sign-ins.',
  },
  code_challenge: text('PKCE (RFC 7636): links then return a code for grant_type=pkce.'),
  code_challenge_method: text('plain or s256.'),
  code_verifier: text('PKCE (RFC 7636): the secret of code_challenge.'),
  auth_code: text('The code of the redirect.'),
  refresh_token: text('The latest refresh token of the session.'),
  create_user: flag('Default true. False: no sign-up with an unknown address.'),
  type: text('Type of the code or link.'),
  token: text('A code, together with its address, or the token of a link; at /oauth, a token of a client.'),
  token_type_hint: text('access_token or refresh_token; not needed.'),
  token_hash: text('The token of a link, without an address.'),
  redirect_to: text('Redirect target of links; must be allowed, else SITE_URL.'),
  id: text('UUID of the new user.'),
  aud: { type: 'string', maxLength: 255, description: 'Audience of the user.' },
  role: {
    type: 'string',
    maxLength: 255,
    description: 'Role of the user; of a client, for the tokens it gets for itself.',
  },
  email_confirm: flag('The address counts as confirmed.'),
  phone_confirm: flag('The number counts as confirmed.'),
  ban_duration: text('A duration such as 24h; "none" lifts a ban.'),
  logout: flag('Default true. False: sessions go on, at AAL1.'),
  passkeys: flag('Default false. True: the passkeys of the user are removed, too.'),
  should_soft_delete: flag('Keeps the row without personal data.'),
  id_token: text("The provider's ID token (OpenID Connect)."),
  access_token: text("The provider's access token, to check at_hash of the ID token."),
  provider: text('Name of a provider.'),
  link_identity: flag('Adds the identity to the account of the bearer token.'),
  issuer: text(
    'Issuer of ID tokens; at /token, instead of provider. At /factors, the name an authenticator app shows.',
  ),
  client_id: text('Client id at the provider.'),
  provider_type: text('oauth2 or oidc.'),
  identifier: text('custom: and a name of lower-case letters, digits, colons and dashes; at most 50 characters.'),
  name: text('Name for people.'),
  client_secret: text('Client secret at the provider. It is stored encrypted and never returned.'),
  acceptable_client_ids: list('Further client ids that ID tokens may be for.'),
  scopes: list('Scopes to request; openid is added for oidc.'),
  custom_claims_allowlist: list('Claims that are copied to custom_claims of the identity.'),
  pkce_enabled: flag('Default true. False: the provider does not support PKCE (RFC 7636).'),
  enabled: flag('Default true. False: it is not used.'),
  email_optional: flag('Default false. True: users without an email address may sign in.'),
  skip_nonce_check: flag('Default false. True: the id_token grant does not compare the nonce (oidc).'),
  attribute_mapping: object('Target → name of a claim of the provider, or a value that is no text.'),
  authorization_params: object('Parameters of the authorization request, all texts.'),
  claims: object('Sample claims: the payload of an ID token, or the answer of the userinfo endpoint.'),
  discovery_url: text('Address of the discovery document, if it is not at its usual place (oidc).'),
  authorization_url: text('Authorization endpoint (oauth2).'),
  token_url: text('Token endpoint (oauth2).'),
  userinfo_url: text('Endpoint that returns the profile as JSON (oauth2).'),
  url: text('Where events are posted: an https:// URL.'),
  events: list('Types of events, families such as user.*, or *.'),
  include: list('What is added to the data of events: user, the user object at the time of sending.'),
  description: text('Note for people; at most 500 characters.'),
  jwks_uri: text('Address of the keys (oauth2); kept for information.'),
  grant_type: text(
    'authorization_code, refresh_token, client_credentials or urn:ietf:params:oauth:grant-type:device_code.',
  ),
  device_code: text('The code that the device got.'),
  redirect_uri: text('The redirect URI of the authorization request.'),
  response_type: text('code.'),
  response_mode: text('query.'),
  prompt: text('login, consent or select_account.'),
  max_age: text('Maximum age of the sign-in in seconds.'),
  login_hint: text('Address of the user, for the sign-in page.'),
  ui_locales: text('Languages for the sign-in page.'),
  request: text('Not supported.'),
  request_uri: text('Not supported here.'),
  registration: text('Not supported.'),
  scope: text('Scopes, separated by spaces.'),
  resource: {
    type: ['string', 'array'],
    items: { type: 'string' },
    description: 'Resources that the token is for (RFC 8707).',
  },
  redirect_uris: list(
    'Up to 10 URIs that users may be sent back to; authorization_code needs one. An empty list is none.',
  ),
  client_type: text('public or confidential; follows from the method if absent.'),
  token_endpoint_auth_method: text('none, client_secret_basic or client_secret_post.'),
  grant_types: list(
    'authorization_code and refresh_token by default; client_credentials; ' +
      'urn:ietf:params:oauth:grant-type:device_code.',
  ),
  client_name: text('Name for users.'),
  client_uri: text('Home page of the client.'),
  logo_uri: text('Picture of the client.'),
  post_logout_redirect_uris: list('Up to 10 URIs that users may be sent back to after a logout.'),
  backchannel_logout_uri: text('Where the client hears of the end of its sessions: an https URL.'),
  backchannel_logout_session_required: flag('The client needs sid in logout tokens, which have it in any case.'),
  dpop_jkt: text('Thumbprint of the key that the code is bound to (RFC 9449 10).'),
  subject_type: text('public or pairwise: who users are to the client.'),
  sector_identifier_uri: text('An https URL with a JSON list of the redirect URIs of all clients of the sector.'),
  dpop_bound_access_tokens: flag('Default false. True: its requests for tokens need a DPoP proof (RFC 9449).'),
  post_logout_redirect_uri: text('Where to send the user after the logout: a registered URI.'),
  id_token_hint: text('An ID token of the session, also an expired one.'),
  state: text('Comes back in the answer.'),
  resources: list('Resources (RFC 8707) that the client serves: it may introspect their tokens.'),
  refresh_token_ttl: {
    type: 'integer',
    description: 'Seconds for which the client may refresh its tokens after an authorization.',
  },
} as const;

type Name = keyof typeof allFields;
type Types = { readonly [Field in Name]?: FromSchema<(typeof allFields)[Field]> };

/** A schema with the type of valid bodies. */
export type BodySchema<Body> = ObjectSchema & { readonly type_?: Body };

export type BodyOf<Schema> = Schema extends BodySchema<infer Body> ? Body : never;

/** The schema of a body with these fields, all optional. */
export const fields = <Names extends readonly Name[]>(...names: Names): BodySchema<Pick<Types, Names[number]>> => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, allFields[name]])),
});
