/** Policies of an organization: what clients give, what is stored, what is shown (docs/organizations.md, Policies). */
import type { OrganizationPolicies } from '../../db/user-rows.js';
import { spellDomain } from '../accounts/addresses.js';
import type { FormFault } from '../errors.js';
import { isDomainName } from './domain-names.js';
import { fieldError } from './field-error.js';

const MAX_ALLOWED_DOMAINS = 50;
/** A year. */
const MAX_SESSION_HOURS = 8760;

export const NO_POLICIES: OrganizationPolicies = {
  require_aal2: false,
  require_sso: false,
  session_hours: null,
  allowed_domains: [],
};

/** What is absent stays. */
export type PolicyChanges = Partial<OrganizationPolicies>;

const refuse = (reason: string, fault?: FormFault) => fieldError(`policies: ${reason}`, fault);

const readers: { readonly [Name in keyof OrganizationPolicies]: (given: unknown) => OrganizationPolicies[Name] } = {
  require_aal2: (given) => readFlag('require_aal2', given),
  require_sso: (given) => readFlag('require_sso', given),
  session_hours(given) {
    if (given === null) return null;
    if (Number.isInteger(given) && (given as number) >= 1 && (given as number) <= MAX_SESSION_HOURS)
      return given as number;
    throw refuse(`session_hours must be null or a whole number from 1 to ${MAX_SESSION_HOURS}`, 'policy_hours');
  },
  allowed_domains(given) {
    const isList = Array.isArray(given) && given.length <= MAX_ALLOWED_DOMAINS;
    const domains = isList ? given.map((one) => (typeof one === 'string' ? spellDomain(one) : '')) : [''];
    if (domains.every(isDomainName)) return [...new Set(domains)].sort();
    throw refuse(
      `allowed_domains must be a list of up to ${MAX_ALLOWED_DOMAINS} names such as example.com`,
      'policy_domains',
    );
  },
};

function readFlag(name: string, given: unknown): boolean {
  if (typeof given !== 'boolean') throw refuse(`${name} must be true or false`);
  return given;
}

/** @throws ApiError organizationFieldInvalid, also for a member that no policy has: a misspelt one would protect nothing */
export function readPolicyChanges(given: object): PolicyChanges {
  const entries = Object.entries(given).map(([name, value]) => {
    if (!Object.hasOwn(readers, name)) throw refuse(`there is no ${name.slice(0, 40)}`);
    return [name, readers[name as keyof OrganizationPolicies](value)];
  });
  return Object.fromEntries(entries);
}

/** @returns as they are stored: null where they ask for nothing */
export function mergePolicies(
  former: OrganizationPolicies | null,
  changes: PolicyChanges,
): OrganizationPolicies | null {
  const merged = { ...NO_POLICIES, ...former, ...changes };
  const { require_aal2, require_sso, session_hours, allowed_domains } = merged;
  return require_aal2 || require_sso || session_hours !== null || allowed_domains.length > 0 ? merged : null;
}

export const viewPolicies = (policies: OrganizationPolicies | null): OrganizationPolicies => ({
  ...NO_POLICIES,
  ...policies,
});
