/**
 * Decides which account a profile belongs to (docs/decisions.md, Account linking; SEC-63, SEC-64). Pure functions.
 * Three rules prevent account takeover: identities are found by (provider, subject); only verified addresses link; an
 * account with an unproven address loses password, sessions and other identities before the address's owner gets it.
 */
import type { Owner, OwnerChange } from '../../db/identities.js';
import { normaliseEmail } from '../accounts/addresses.js';
import { type ApiError, apiError } from '../errors.js';
import type { ExternalProfile } from '../providers/contract.js';
import { DEFAULT_DOMAIN } from './linking-domains.js';

/** The addresses of a profile. */
export interface ClaimedAddresses {
  /** Lower case; '' for none. */
  readonly email: string;
  /** By the provider. */
  readonly isVerified: boolean;
  /** MAILER_AUTOCONFIRM: the email of a new account counts as confirmed. */
  readonly isAutoconfirmed: boolean;
  /** All verified addresses, lower case; each may link. */
  readonly verifiedEmails: readonly string[];
}

export interface LinkingRules {
  readonly provider: string;
  /** EXTERNAL_X_EMAIL_OPTIONAL */
  readonly isEmailOptional: boolean;
  /** MAILER_ALLOW_UNVERIFIED_EMAIL_SIGN_INS */
  readonly allowsUnverified: boolean;
  /** DISABLE_SIGNUP */
  readonly isSignUpDisabled: boolean;
  /** Linking domain of the provider. */
  readonly domain: string;
}

/** Which rule decided, for whoever follows the attempt (src/server/console/explanations/linking-rules.ts). */
export type LinkingRule =
  | 'banned'
  | 'identity_known'
  | 'identity_proves_address'
  | 'identity_without_address'
  | 'identity_address_unproven'
  | 'unverified_allowed'
  | 'several_accounts'
  | 'address_linked'
  | 'address_proven'
  | 'address_of_unproven'
  | 'address_of_phone_account'
  | 'address_new'
  | 'address_unverified'
  | 'address_taken'
  | 'no_address'
  | 'sign_up_disabled'
  | 'provisioned'
  | 'invited';

export type OwnerDecision = { readonly rule: LinkingRule } & Verdict;

type Verdict =
  /** `mailsTo`: a confirmation is sent to it besides. */
  | { readonly kind: 'sign_in'; readonly owner: Owner; readonly change: OwnerChange; readonly mailsTo: string | null }
  | {
      readonly kind: 'create';
      readonly email: string | null;
      readonly isConfirmed: boolean;
      /** Its provider vouches for the address. */
      readonly isProven: boolean;
      readonly mailsTo: string | null;
      /** An account proven by its phone that loses the address first. */
      readonly releaseFrom: string | null;
    }
  /** No account has the address, and it is not verified: the account is created when the mail is answered. */
  | { readonly kind: 'pending_sign_up'; readonly email: string }
  /** The account exists; its address must be confirmed first. */
  | { readonly kind: 'confirm'; readonly owner: Owner; readonly email: string }
  | { readonly kind: 'reject'; readonly error: ApiError };

/**
 * Selects the primary address, else the last; invalid ones (SEC-28) are ignored. With autoconfirm an unverified address
 * may create an account, but it neither links nor confirms (SEC-83).
 */
export function readClaimedAddresses(profile: ExternalProfile, isAutoconfirmed: boolean): ClaimedAddresses {
  const usable = profile.addresses.flatMap((address) => {
    const email = normaliseOrDrop(address.email);
    return email === '' ? [] : [{ ...address, email }];
  });
  const chosen = usable.findLast(({ isPrimary }) => isPrimary) ?? usable.at(-1);
  return {
    email: chosen?.email ?? '',
    isVerified: chosen?.isVerified ?? false,
    isAutoconfirmed,
    verifiedEmails: [...new Set(usable.filter(({ isVerified }) => isVerified).map(({ email }) => email))],
  };
}

/** @returns '' for an invalid address */
function normaliseOrDrop(email: string): string {
  try {
    return normaliseEmail(email);
  } catch {
    return '';
  }
}

/** @param found accounts with the identity or one of its verified addresses, and whether any account has the address */
export function decideOwner(
  claimed: ClaimedAddresses,
  found: { readonly people: readonly Owner[]; readonly isAddressTaken: boolean },
  rules: LinkingRules,
): OwnerDecision {
  const known = found.people.find(({ is_known }) => is_known);
  if (known !== undefined) return decideForKnown(known, claimed, rules);
  const [owner, ...others] = found.people;
  if (owner === undefined) return decideForNew(claimed, found.isAddressTaken, rules);
  if (others.length > 0) {
    return reject('several_accounts', apiError('multipleAccounts', { domain: rules.domain }));
  }
  return decideForLinkable(owner, claimed, rules);
}

/** The account was made for the person by the organization of the provider. */
export const decideForProvisioned = (owner: Owner): OwnerDecision =>
  owner.is_banned ? reject('banned', apiError('userBanned')) : signIn('provisioned', owner, 'met');

const reject = (rule: LinkingRule, error: ApiError): OwnerDecision => ({ rule, kind: 'reject', error });

const signIn = (
  rule: LinkingRule,
  owner: Owner,
  change: OwnerChange,
  mailsTo: string | null = null,
): OwnerDecision => ({
  rule,
  kind: 'sign_in',
  owner,
  change,
  mailsTo,
});

/** The account has this identity. */
function decideForKnown(owner: Owner, claimed: ClaimedAddresses, rules: LinkingRules): OwnerDecision {
  if (owner.is_banned) return reject('banned', apiError('userBanned'));
  if (owner.is_email_proven) return signIn('identity_known', owner, 'met');
  if (owner.email === null) {
    const mayEnter = owner.is_phone_confirmed || rules.isEmailOptional || rules.allowsUnverified;
    return mayEnter
      ? signIn('identity_known', owner, 'met')
      : reject('identity_without_address', apiError('providerEmailOwned', { provider: rules.provider }));
  }
  if (claimed.verifiedEmails.includes(owner.email)) {
    // An account proven by its phone keeps everything.
    return signIn('identity_proves_address', owner, owner.is_phone_proven ? 'met' : 'proven');
  }
  // By autoconfirm: the person who signed up with the identity goes on using it.
  if (owner.is_email_confirmed) return signIn('identity_known', owner, 'met');
  if (rules.allowsUnverified) return signIn('unverified_allowed', owner, 'met', owner.email);
  return { rule: 'identity_address_unproven', kind: 'confirm', owner, email: owner.email };
}

/** The account has a verified address of the profile. */
function decideForLinkable(owner: Owner, claimed: ClaimedAddresses, rules: LinkingRules): OwnerDecision {
  if (owner.is_banned) return reject('banned', apiError('userBanned'));
  // Found by the address of another identity, or its own address is proven.
  if (owner.is_email_proven || owner.email === null || !claimed.verifiedEmails.includes(owner.email)) {
    return owner.is_email_confirmed || owner.is_phone_confirmed || rules.isEmailOptional
      ? signIn('address_linked', owner, 'met')
      : reject('address_of_unproven', apiError('providerEmailOwned', { provider: rules.provider }));
  }
  if (!owner.is_phone_proven || owner.is_operators_email) return signIn('address_proven', owner, 'proven');
  if (rules.isSignUpDisabled) return reject('sign_up_disabled', apiError('signupDisabled'));
  const { email } = owner;
  return {
    rule: 'address_of_phone_account',
    kind: 'create',
    email,
    isConfirmed: true,
    isProven: true,
    mailsTo: null,
    releaseFrom: owner.id,
  };
}

/** No account has the identity or a verified address of it. */
function decideForNew(claimed: ClaimedAddresses, isAddressTaken: boolean, rules: LinkingRules): OwnerDecision {
  const { email } = claimed;
  const isVerified = claimed.isVerified || claimed.isAutoconfirmed;
  const disabled = () => reject('sign_up_disabled', apiError('signupDisabled'));
  const create = (rule: LinkingRule, address: string | null, isConfirmed: boolean, mailsTo: string | null = null) =>
    rules.isSignUpDisabled
      ? disabled()
      : ({ rule, kind: 'create', email: address, isConfirmed, isProven, mailsTo, releaseFrom: null } as const);
  const isProven = claimed.isVerified;

  if (email !== '' && isVerified && !isAddressTaken) return create('address_new', email, true);
  // Accounts of other linking domains may share an address with other accounts.
  if (email !== '' && claimed.isVerified && rules.domain !== DEFAULT_DOMAIN) return create('address_new', email, true);
  if (email === '' && (rules.isEmailOptional || rules.allowsUnverified)) return create('no_address', null, false);
  const owned = (rule: LinkingRule) => reject(rule, apiError('providerEmailOwned', { provider: rules.provider }));
  if (email === '') return owned('no_address');
  if (isAddressTaken) {
    return rules.allowsUnverified ? create('address_taken', null, false) : owned('address_taken');
  }
  if (rules.allowsUnverified) return create('unverified_allowed', email, false, email);
  return rules.isSignUpDisabled ? disabled() : { rule: 'address_unverified', kind: 'pending_sign_up', email };
}
