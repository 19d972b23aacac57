/** One figure for those who read an Authorization header and those who make what stands in it. */

/** Most bytes of an Authorization header that are read: 12 kB, of the 16 kB that a request's head may have. */
export const MAX_AUTHORIZATION_BYTES = 12_288;

/** What is left of that for an access token behind `Bearer `. */
export const MAX_TOKEN_BYTES = MAX_AUTHORIZATION_BYTES - 'Bearer '.length;
