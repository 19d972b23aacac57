/** What operators try with the identity provider of a company: a sign-in, a mapping, the proof of a domain. */
import { allFields } from '../../endpoints/shared/fields.js';
import { SSO_METADATA_BYTES } from '../../endpoints/shared/sso-fields.js';
import { verifySsoDomain } from '../../saml/providers/verify-domain.js';
import { listCompanyTests, openCompanyTest, previewMapping } from '../company-tests.js';
import { consoleBody, defineConsole, listOf, objectOf, orNull, reasonField } from '../define-console.js';
import { asAdministrator, deedOf } from '../operator-audit.js';
import { shownTrace } from './providers.js';

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
const path = '/api/sso-providers/{sso_provider_id}';
const notFound = 'ssoIdentityProviderNotFound';

export const postSsoDomainVerify = defineConsole({
  method: 'POST',
  path: `${path}/domains/{domain}/verify`,
  role: 'admin',
  body: consoleBody(reasonField),
  bodyOptional: true,
  id: 'verifySsoDomain',
  tag: 'Companies',
  summary: 'Looks up the TXT record that proves a domain of a company.',
  answer: {
    description: 'The domain, which is proved.',
    body: objectOf({ domain: text, status: { enum: ['verified', 'pending'] }, record: { type: 'object' } }),
  },
  errors: [notFound, 'ssoDomainUnknown', 'domainRecordMissing'],
  async handler(app, request) {
    const { sso_provider_id: id, domain } = request.params;
    const admin = asAdministrator(deedOf(request));
    return { status: 200, body: await verifySsoDomain(app, request.id, admin, id, domain) };
  },
});

export const getSsoTests = defineConsole({
  method: 'GET',
  path: `${path}/traces`,
  role: 'admin',
  id: 'listSsoTests',
  tag: 'Companies',
  summary: 'Lists the tests of sign-ins at a company of the last day, newest first.',
  answer: { description: 'At most 20.', body: objectOf({ traces: listOf(objectOf(shownTrace)) }) },
  errors: [notFound],
  handler: async (app, { params }) => ({
    status: 200,
    body: { traces: await listCompanyTests(app, params.sso_provider_id) },
  }),
});

export const postSsoTest = defineConsole({
  method: 'POST',
  path: `${path}/traces`,
  role: 'admin',
  body: consoleBody(reasonField),
  bodyOptional: true,
  id: 'openSsoTest',
  tag: 'Companies',
  summary: 'Opens a test of one sign-in at a company, whose steps /api/traces/{trace_id} has.',
  description:
    'The sign-in of the person who opens the address within ten minutes is examined, check by check. It signs no one in and makes no account, also where the company is disabled.',
  answer: {
    status: 201,
    description: 'The address, which works once and is not shown again.',
    body: objectOf({ id: text, url: text, expires_at: text }),
  },
  errors: [notFound, 'samlDisabled'],
  handler: async (app, request) => ({
    status: 201,
    body: await openCompanyTest(app, deedOf(request), request.params.sso_provider_id),
  }),
});

const check = objectOf({
  check: { type: 'string', description: 'signature, issuer, audience, recipient, destination, expired, …' },
  fault: { ...orNull('string'), description: 'Null: it passed.' },
  found: orNull('string'),
  expected: orNull('string'),
  advice: { ...orNull('string'), description: 'What to do about the fault.' },
});

const person = {
  ...objectOf({
    user_id: { type: 'string', description: 'Of the person at the provider; empty: there is none to use.' },
    user_id_from: { ...orNull('string'), description: 'Attribute, or NameID.' },
    email: text,
    email_from: orNull('string'),
    is_domain_of_company: flag,
    user_metadata: { type: 'object', description: 'Of a new account.' },
    app_metadata_sso: orNull('object'),
    shortened: { ...listOf(text), description: 'Claims with several values, of which the first is kept.' },
    unmapped: listOf(objectOf({ name: text, friendly_name: text, values: listOf(text) })),
    name_id: { ...orNull('object'), description: 'value and format.' },
    refusal: { ...orNull('object'), description: 'Why it would not sign in: message and advice.' },
  }),
  type: ['object', 'null'],
} as const;

export const postSsoPreview = defineConsole({
  method: 'POST',
  path: `${path}/preview`,
  role: 'viewer',
  maxBodyBytes: SSO_METADATA_BYTES,
  body: consoleBody({
    message: {
      type: 'string',
      minLength: 1,
      description:
        'A response or an assertion, as XML or in base64; absent: what the last test got, for the role admin.',
    },
    attribute_mapping: allFields.attribute_mapping,
  }),
  bodyOptional: true,
  id: 'previewSsoMapping',
  tag: 'Companies',
  summary: 'Says what the attribute mapping of a company, or a draft of it, makes of an assertion. Stores nothing.',
  description:
    'The assertion may be unsigned or expired: the checks say so. Encrypted ones are decrypted for the role admin, and only if they are signed.',
  answer: {
    description: 'What would be known of the person.',
    body: objectOf({
      tested_at: { ...orNull('string'), description: 'When the test ended; null: of a message that was sent.' },
      checks: listOf(check),
      person: { ...person, description: 'Null: the message cannot be read.' },
    }),
  },
  errors: [notFound, 'samlDisabled', 'ssoFieldInvalid', 'operatorRoleTooLow', 'companyTestMissing'],
  handler: async (app, request) => ({
    status: 200,
    body: await previewMapping(app, request.caller, request.params.sso_provider_id, request.body ?? {}),
  }),
});
