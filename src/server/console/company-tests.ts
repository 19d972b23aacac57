/** Operators try sign-ins at companies: a test with its trace, and a mapping on what a provider says. */
import { readLastSaid } from '../../db/provider-traces.js';
import type { SsoProviderRow } from '../../db/sso-providers.js';
import type { SamlCheckName } from '../../workers/saml-wire.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { COMPANY_PREFIX } from '../saml/company-name.js';
import { type DescribedCheck, describeCheck } from '../saml/examination/describe-steps.js';
import { examinePerson } from '../saml/examination/examine-person.js';
import type { SaidOfPerson } from '../saml/examination/test-sign-in.js';
import { readSsoProvider } from '../saml/providers/find-sso-provider.js';
import { assertMapping } from '../saml/providers/provider-fields.js';
import { responseJob } from '../saml/received-message.js';
import { assertSamlOn } from '../saml/saml-on.js';
import { explanations } from './explanations/index.js';
import { samlCures } from './explanations/saml-checks.js';
import { assertRole, hasRole, type OperatorIdentity } from './operator.js';
import type { OperatorDeed } from './operator-audit.js';
import { listTracesOf, storeTrace } from './provider-traces.js';

const traceName = ({ id }: Pick<SsoProviderRow, 'id'>): string => `${COMPANY_PREFIX}${id}`;

/**
 * Opens a test. It is always dry: no account, no session.
 * @returns the address that starts it, which is not shown again
 * @throws ApiError ssoIdentityProviderNotFound, samlDisabled
 */
export async function openCompanyTest(app: App, deed: OperatorDeed, id: string) {
  const provider = await readSsoProvider(app, id);
  assertSamlOn(app);
  return storeTrace(app, deed, traceName(provider), true);
}

/** @returns the newest tests, without their steps. @throws ApiError ssoIdentityProviderNotFound */
export async function listCompanyTests(app: App, id: string) {
  return listTracesOf(app, traceName(await readSsoProvider(app, id)));
}

export interface PreviewRequest {
  /** A response or an assertion, as XML or in base64; undefined: what the last test got. */
  readonly message?: string | undefined;
  /** A draft; undefined: the mapping that is stored. */
  readonly attribute_mapping?: Readonly<Record<string, unknown>> | undefined;
}

/** Of a pasted message there is no request that it answers. */
const PASSED_OVER: readonly SamlCheckName[] = ['response_to'];

/**
 * What the mapping makes of an assertion. It need not be signed or valid now: what it fails is said. Nothing is stored.
 * @throws ApiError ssoIdentityProviderNotFound, samlDisabled, ssoFieldInvalid, operatorRoleTooLow, companyTestMissing
 */
export async function previewMapping(app: App, operator: OperatorIdentity, id: string, given: PreviewRequest) {
  const provider = await readSsoProvider(app, id);
  assertSamlOn(app);
  const mapping = given.attribute_mapping ?? provider.attribute_mapping;
  assertMapping(mapping);
  const { said, testedAt } = await readSaid(app, operator, provider, given.message);
  return {
    tested_at: testedAt,
    checks: said.checks.map((check) => ({ ...check, advice: check.fault === null ? null : samlCures[check.check] })),
    person: said.nameId === undefined ? null : viewPerson(app, provider, said, mapping),
  };
}

/** What a message says; without a name id it could not be read. */
type Said = Pick<SaidOfPerson, 'checks'> & Partial<Pick<SaidOfPerson, 'nameId' | 'attributes'>>;

async function readSaid(app: App, operator: OperatorIdentity, provider: SsoProviderRow, message: string | undefined) {
  if (message !== undefined) return { said: await readMessage(app, operator, provider, message), testedAt: null };
  // What a provider tells about a person is for those who may follow sign-ins.
  assertRole(operator, 'admin');
  const last = await readLastSaid<SaidOfPerson>(app.db, traceName(provider));
  if (last === undefined) throw apiError('companyTestMissing');
  return { said: last.said, testedAt: last.ended_at };
}

async function readMessage(
  app: App,
  operator: OperatorIdentity,
  provider: SsoProviderRow,
  message: string,
): Promise<Said> {
  const job = responseJob(app, provider, message, null);
  const mayDecrypt = hasRole(operator, 'admin');
  const decryptionKeys = mayDecrypt ? job.decryptionKeys : [];
  const { assertion, checks } = await app.crypto.examineSamlResponse({
    ...job,
    decryptionKeys,
    passedOver: PASSED_OVER,
  });
  const described = checks.map((check) => describeCheck(check, job.expected));
  return {
    checks: mayDecrypt ? described : described.map(withoutDecryption),
    ...(assertion && { nameId: assertion.nameId, attributes: assertion.attributes }),
  };
}

const withoutDecryption = (check: DescribedCheck): DescribedCheck =>
  check.check === 'encryption' && check.fault !== null
    ? { ...check, fault: 'it is encrypted, and only the role admin has it decrypted' }
    : check;

function viewPerson(
  app: App,
  provider: SsoProviderRow,
  { nameId = null, attributes = [] }: Said,
  mapping: Readonly<Record<string, unknown>>,
) {
  const person = examinePerson(app, provider, { nameId, attributes }, mapping);
  return {
    user_id: person.subject.value,
    user_id_from: person.subject.from,
    email: person.email.value,
    email_from: person.email.from,
    is_domain_of_company: person.domain.isOfCompany,
    user_metadata: person.userMetadata,
    app_metadata_sso: person.trustedClaims,
    shortened: person.shortened,
    unmapped: person.unmapped.map(({ name, friendlyName, values }) => ({ name, friendly_name: friendlyName, values })),
    name_id: nameId,
    refusal: person.error && {
      message: person.error.message,
      advice: explanations[person.error.entry][1],
    },
  };
}
