/** What a client may say of itself (RFC 7591 2, OpenID Connect RP-Initiated and Back-Channel Logout, RFC 9449 5.2, OpenID Connect Core 8 and 9). */
export const registrationFields = [
  'redirect_uris',
  'client_type',
  'token_endpoint_auth_method',
  'grant_types',
  'client_name',
  'client_uri',
  'logo_uri',
  'scope',
  'post_logout_redirect_uris',
  'backchannel_logout_uri',
  'backchannel_logout_session_required',
  'dpop_bound_access_tokens',
  'subject_type',
  'sector_identifier_uri',
  'jwks',
  'jwks_uri',
] as const;
