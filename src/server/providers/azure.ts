import { isTrueClaim, oneAddress, readSubject, textAt, withoutEmpty } from './claims.js';
import type { ExternalProfile, IdTokenClaims, OidcSpec } from './contract.js';
import { readStandardClaims } from './oidc-claims.js';

const CLOUD = 'https://login.microsoftonline.com';
/** Microsoft's tenant of personal accounts, whose addresses are verified. */
const PERSONAL_TENANT = '9188040d-6c67-4c5b-b112-36a304b66dad';
const TENANT = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Placeholder in the documents of `common` and `organizations`; tokens contain their tenant there. */
const TEMPLATE = '{tenantid}';

/** Claims about the token rather than the user; all others become custom claims. */
const FRAME = new Set(
  'aud iss iat nbf exp c_hash at_hash aio nonce rh uti jti ver sub name preferred_username'.split(' '),
);

/** https://learn.microsoft.com/en-us/entra/identity-platform/v2-protocols-oidc */
export const provider: OidcSpec = {
  protocol: 'oidc',
  scopes: ['openid'],
  usesPkce: true,
  authorizationEndpoint: (url) => `${url ?? `${CLOUD}/common`}/oauth2/v2.0/authorize`,
  idTokens: {
    title: 'Azure',
    issuer: (url) => `${url ?? `${CLOUD}/common`}/v2.0`,
    isOwnDocument(documentIssuer, url) {
      const requested = new URL(url ?? CLOUD);
      const issuer = URL.canParse(documentIssuer) ? new URL(documentIssuer) : null;
      if (url !== null && documentIssuer === `${url}/v2.0`) return true;
      // A tenant may be requested by name and respond with its id; at ciamlogin.com the id is in the host, too.
      const isSameHost = issuer?.origin === requested.origin || (isCiam(issuer) && isCiam(requested));
      const [, tenant = ''] = /^\/([^/]+)\/v2\.0$/.exec(decodeURIComponent(issuer?.pathname ?? '')) ?? [];
      const takesAnyTenant = url === null || /\/(common|organizations)$/.test(requested.pathname);
      return isSameHost && (TENANT.test(tenant) || (takesAnyTenant && tenant === TEMPLATE));
    },
    isOwnIssuer(claims, documentIssuer) {
      const tenant = textAt(claims, 'tid');
      if (documentIssuer.includes(TEMPLATE) && !TENANT.test(tenant)) return false;
      const expected = documentIssuer.replace(TEMPLATE, tenant);
      return claims['iss'] === expected || isVersion1Issuer(claims['iss'], expected);
    },
    isMeantBy: (issuer, url) => (url === null ? isCloud(issuer) : issuer === `${url}/v2.0` || isCloud(issuer)),
    readClaims: (claims, documentIssuer) =>
      isCloud(textAt(claims, 'iss')) ? readProfile(claims, documentIssuer) : readStandardClaims(claims),
  },
};

const isCiam = (url: URL | null): boolean => url?.protocol === 'https:' && url.hostname.endsWith('.ciamlogin.com');

/** Of version 1 or 2 of Microsoft's tokens. */
function isCloud(issuer: string): boolean {
  return /^https:\/\/(login\.microsoftonline\.com\/[^/]+\/v2\.0|sts\.windows\.net\/[^/]+)\/?$/.test(issuer);
}

/** Version 1 tokens have another issuer for the same tenant and keys. */
function isVersion1Issuer(iss: unknown, expected: string): boolean {
  const [, tenant] = /^https:\/\/login\.microsoftonline\.com\/([^/]+)\/v2\.0$/.exec(expected) ?? [];
  return tenant !== undefined && iss === `https://sts.windows.net/${tenant}/`;
}

function readProfile(claims: IdTokenClaims, documentIssuer: string): ExternalProfile {
  const subject = readSubject(claims['sub']);
  const custom = Object.fromEntries(Object.entries(claims).filter(([name]) => !FRAME.has(name)));
  return {
    subject,
    claims: withoutEmpty({
      iss: claims['iss'],
      sub: subject,
      full_name: textAt(claims, 'name'),
      preferred_username: textAt(claims, 'preferred_username'),
      provider_id: subject,
      custom_claims: custom,
    }),
    addresses: oneAddress(claims['email'], isVerified(claims, documentIssuer)),
  };
}

/**
 * Whether the address is verified. If any tenant may sign in, an administrator of one can write any address into it
 * (https://learn.microsoft.com/en-us/entra/identity-platform/migrate-off-email-claim-authorization), so
 * without `xms_edov` only a configured tenant and Microsoft's own are trusted (SEC-64).
 */
function isVerified({ xms_edov: given, tid }: IdTokenClaims, documentIssuer: string): boolean {
  if (given === undefined || given === null) return !documentIssuer.includes(TEMPLATE) || tid === PERSONAL_TENANT;
  return isTrueClaim(given) || given === '1';
}
