/** The settings of sign-in at the identity providers of companies, and of organizations. */
import type { FormTab } from './setting-form.js';

export const companyTab: FormTab = {
  title: 'Companies',
  groups: [
    {
      title: 'Sign-in at companies (SAML)',
      settings: {
        SAML_ENABLED: 'People sign in at their company',
        SAML_PRIVATE_KEY: 'Private key',
        SAML_PRIVATE_KEY_NEXT: 'Next private key',
        SAML_EXTERNAL_URL: 'Base of our addresses',
        SAML_ALLOW_IDP_INITIATED: 'Begun at the company',
        SAML_ALLOW_ENCRYPTED_ASSERTIONS: 'Encrypted assertions',
        SAML_ALLOW_SHA1: 'Signatures with SHA-1',
        SAML_RELAY_STATE_VALIDITY_PERIOD: 'A sign-in may take',
        SAML_CLOCK_SKEW: 'Clocks may differ by',
        SAML_MAX_ISSUE_DELAY: 'Age of an assertion',
        SAML_REQUIRE_DOMAIN_PROOF: 'Domains must be proven',
        SAML_RATE_LIMIT_ASSERTION: 'Assertions of a client',
      },
      sections: ['Sign-in at companies (SAML)'],
    },
    {
      title: 'Organizations',
      about: 'Customers that are companies: their users are members with roles.',
      settings: {
        ORGANIZATIONS_ENABLED: 'Users have organizations',
        ORGANIZATIONS_CREATION: 'Created by',
        ORGANIZATIONS_MAX_OWNED: 'A user owns at most',
        ORGANIZATIONS_MAX_MEMBERS: 'Members of one at most',
        ORGANIZATIONS_CLAIM: 'Tokens name',
      },
      sections: ['Organizations'],
    },
    {
      title: 'Provisioning (SCIM)',
      about: 'Identity providers add, change and end people and groups.',
      settings: {
        SCIM_ENABLED: 'Identity providers provision people',
        SCIM_DELETE: 'Who is deleted there',
      },
    },
  ],
};
