import { json } from '../http/types.js';
import { verifySsoDomain } from '../saml/providers/verify-domain.js';
import { defineEndpoint } from './shared/define.js';
import { ok } from './shared/docs.js';

export const postAdminSsoDomainVerify = defineEndpoint({
  method: 'POST',
  path: '/admin/sso/providers/{id}/domains/{domain}/verify',
  trailingSlash: true,
  caller: 'admin',
  tag: 'Administration',
  id: 'adminVerifySsoDomain',
  summary: 'Looks for the TXT record that proves a domain of an identity provider.',
  description: 'Where AUTH_SAML_REQUIRE_DOMAIN_PROOF is on, only domains that are verified count.',
  answers: ok('SsoDomain', 'The domain, which is verified.'),
  errors: ['ssoIdentityProviderNotFound', 'ssoDomainUnknown', 'domainRecordMissing'],
  handler: async (app, { id, caller, params }) =>
    json(await verifySsoDomain(app, id, caller, params.id, params.domain)),
});
