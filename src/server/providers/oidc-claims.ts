/** Reads the claims of ID tokens of issuers without a reader of their own. */
import { audiencesOf, isTrueClaim, oneAddress, readSubject, withoutEmpty } from './claims.js';
import type { ExternalProfile, IdTokenClaims } from './contract.js';

const TEXTS = [
  'name',
  'family_name',
  'given_name',
  'middle_name',
  'nickname',
  'preferred_username',
  'profile',
  'picture',
  'website',
  'gender',
  'birthdate',
  'zoneinfo',
  'locale',
  'phone',
  'full_name',
  'avatar_url',
  'slug',
  'user_name',
];

/** Standard claims unchanged; the address is verified if `email_verified` is true. */
export function readStandardClaims(claims: IdTokenClaims): ExternalProfile {
  const subject = readSubject(claims['sub']);
  const { updated_at: updatedAt, custom_claims: custom } = claims;
  const texts = TEXTS.map((name) => [name, claims[name]]).filter(([, value]) => typeof value === 'string');
  return {
    subject,
    claims: withoutEmpty({
      iss: claims['iss'],
      sub: subject,
      aud: audiencesOf(claims),
      iat: claims['iat'],
      exp: claims['exp'],
      ...Object.fromEntries(texts),
      ...((typeof updatedAt === 'string' || typeof updatedAt === 'number') && { updated_at: updatedAt }),
      ...(typeof custom === 'object' && !Array.isArray(custom) && { custom_claims: custom }),
      provider_id: subject,
    }),
    addresses: oneAddress(claims['email'], isTrueClaim(claims['email_verified'])),
  };
}
