/** Turns the answer of a provider in the database into a profile, as attribute_mapping and the allow-list say. */
import type { CustomProviderSettings } from '../../../db/custom-providers.js';
import { at, isTrueClaim, oneAddress } from '../claims.js';
import type { ExternalProfile } from '../contract.js';
import { readStandardClaims } from '../oidc-claims.js';

export type MappingSettings = Pick<CustomProviderSettings, 'attribute_mapping' | 'custom_claims_allowlist'>;

type RawClaims = Readonly<Record<string, unknown>>;

/** Targets that follow from the answer itself, whatever a mapping says. */
const OWN = ['iss', 'exp', 'iat', 'provider_id', 'custom_claims', 'email'];

/**
 * @param raw claims of the ID token, or the answer of the userinfo endpoint
 * @param issuer `iss` where the answer has none
 * @throws MissingSubject
 */
export function readMappedClaims(settings: MappingSettings, raw: RawClaims, issuer: string): ExternalProfile {
  const mapped = Object.entries(settings.attribute_mapping)
    .map(([target, source]) => [target, typeof source === 'string' ? claimAt(raw, source) : source] as const)
    .filter(([, value]) => value !== undefined && value !== null);
  const claims: Record<string, unknown> = { iss: issuer, sub: raw['id'], ...raw, ...Object.fromEntries(mapped) };
  // Ids of plain OAuth 2.0 are often numbers.
  if (Number.isSafeInteger(claims['sub'])) claims['sub'] = String(claims['sub']);
  const { custom_claims: _, ...rest } = claims;
  const standard = readStandardClaims(rest);
  const extra = mapped.filter(([target]) => !OWN.includes(target) && !Object.hasOwn(standard.claims, target));
  const allowed = settings.custom_claims_allowlist.flatMap((name) => {
    const value = at(raw, name);
    return value === undefined || value === null ? [] : [[name, value] as const];
  });
  return {
    subject: standard.subject,
    claims: {
      ...standard.claims,
      ...Object.fromEntries(extra),
      ...(allowed.length > 0 && { custom_claims: Object.fromEntries(allowed) }),
    },
    addresses: oneAddress(claims['email'], isVerified(raw, claims['email'])),
  };
}

/** email_verified is about the claim `email`, not about another claim that is mapped to it (SEC-64). */
function isVerified(raw: RawClaims, email: unknown): boolean {
  return isTrueClaim(raw['email_verified']) && email === raw['email'];
}

/** A claim by its name, else by a path with dots: `address.country`. */
export function claimAt(raw: RawClaims, name: string): unknown {
  return at(raw, name) ?? at(raw, ...name.split('.'));
}
