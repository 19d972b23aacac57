/** Limit of access tokens, for reading and issuing them. */

/** Limit of the Authorization header in bytes: 12 kB of the 16 kB of a request's head. */
export const MAX_AUTHORIZATION_BYTES = 12_288;

/** The part of it for the token after `Bearer `. */
export const MAX_TOKEN_BYTES = MAX_AUTHORIZATION_BYTES - 'Bearer '.length;
