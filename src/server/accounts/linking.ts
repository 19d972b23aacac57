/**
 * Whose account is it? The decision alone, without a request or a database (reference/providers.md 4.2; SEC-63, SEC-64).
 * What keeps one person out of another's account: an identity is found by (provider, subject); an address links only
 * when the provider vouches for it; and an account whose own address nobody has proven gives up its password, sessions
 * and other identities before the owner of the address moves in.
 */
import type { Owner, OwnerChange } from '../../db/identities.js';
import { type Refusal, refuse } from '../errors.js';
import type { ExternalProfile } from '../providers/contract.js';
import { normaliseEmail } from './addresses.js';

/** The addresses of a profile as the decision needs them. */
export interface Claimed {
  /** Lower case; '' for none. */
  readonly email: string;
  /** The provider vouches for it. */
  readonly isVerified: boolean;
  /** A new account counts it as confirmed: MAILER_AUTOCONFIRM is on. */
  readonly isAutoconfirmed: boolean;
  /** All that the provider vouches for, lower case: each may link. */
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
  /** EXPERIMENTAL_PROVIDERS_WITH_OWN_LINKING_DOMAIN */
  readonly ownDomainProviders: readonly string[];
}

export type Decision =
  /** `mailsTo`: the sign-in goes on, and a confirmation goes out besides. */
  | { readonly kind: 'enter'; readonly owner: Owner; readonly change: OwnerChange; readonly mailsTo: string | null }
  | {
      readonly kind: 'create';
      readonly email: string | null;
      readonly isConfirmed: boolean;
      readonly mailsTo: string | null;
      /** An account proven by its phone gives up the address first. */
      readonly releaseFrom: string | null;
    }
  /** Nobody has the address, and the provider does not vouch for it: the account waits for the mail's answer. */
  | { readonly kind: 'wait'; readonly email: string }
  /** The account is known, its address unproven. */
  | { readonly kind: 'confirm'; readonly owner: Owner; readonly email: string }
  | { readonly kind: 'refuse'; readonly refusal: Refusal };

/**
 * The address flagged primary, else the last; one that is no address in our sense (SEC-28) does not count at all.
 * Autoconfirm may make a new account with an address that the provider does not vouch for, and nothing else: it neither
 * links nor confirms (SEC-83).
 */
export function readClaimed(profile: ExternalProfile, isAutoconfirmed: boolean): Claimed {
  const usable = profile.addresses.flatMap((address) => {
    const email = storedForm(address.email);
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

function storedForm(email: string): string {
  try {
    return normaliseEmail(email);
  } catch {
    return '';
  }
}

/** @param found accounts with the identity or with a verified address of it, and whether the address is taken at all */
export function decideOwner(
  claimed: Claimed,
  found: { readonly people: readonly Owner[]; readonly isAddressTaken: boolean },
  rules: LinkingRules,
): Decision {
  const known = found.people.find(({ is_known }) => is_known);
  if (known !== undefined) return meet(known, claimed, rules);
  const [owner, ...others] = found.people;
  if (owner === undefined) return welcome(claimed, found.isAddressTaken, rules);
  if (others.length > 0) {
    const domain = rules.ownDomainProviders.includes(rules.provider) ? rules.provider : 'default';
    return refusing(refuse('multipleAccounts', { domain }));
  }
  return link(owner, claimed, rules);
}

const refusing = (refusal: Refusal): Decision => ({ kind: 'refuse', refusal });

const enter = (owner: Owner, change: OwnerChange, mailsTo: string | null = null): Decision => ({
  kind: 'enter',
  owner,
  change,
  mailsTo,
});

/** Somebody who has been here with this identity. */
function meet(owner: Owner, claimed: Claimed, rules: LinkingRules): Decision {
  if (owner.is_banned) return refusing(refuse('userBanned'));
  if (owner.is_email_confirmed) return enter(owner, 'met');
  if (owner.email === null) {
    const mayEnter = owner.is_phone_confirmed || rules.isEmailOptional || rules.allowsUnverified;
    return mayEnter ? enter(owner, 'met') : refusing(refuse('providerEmailOwned', { provider: rules.provider }));
  }
  if (claimed.verifiedEmails.includes(owner.email)) {
    // Proven by its phone: nothing on the account is a stranger's.
    return enter(owner, owner.is_phone_confirmed ? 'met' : 'proven');
  }
  if (rules.allowsUnverified) return enter(owner, 'met', owner.email);
  return { kind: 'confirm', owner, email: owner.email };
}

/** Somebody whose verified address an account has. */
function link(owner: Owner, claimed: Claimed, rules: LinkingRules): Decision {
  if (owner.is_banned) return refusing(refuse('userBanned'));
  // By another identity's address, its own being another one, or confirmed.
  if (owner.is_email_confirmed || owner.email === null || !claimed.verifiedEmails.includes(owner.email)) {
    return owner.is_email_confirmed || owner.is_phone_confirmed || rules.isEmailOptional
      ? enter(owner, 'met')
      : refusing(refuse('providerEmailOwned', { provider: rules.provider }));
  }
  if (!owner.is_phone_confirmed || owner.is_operators_email) return enter(owner, 'proven');
  if (rules.isSignUpDisabled) return refusing(refuse('signupDisabled'));
  const { email } = owner;
  return { kind: 'create', email, isConfirmed: true, mailsTo: null, releaseFrom: owner.id };
}

/** Somebody nobody knows. */
function welcome(claimed: Claimed, isAddressTaken: boolean, rules: LinkingRules): Decision {
  const { email } = claimed;
  const isVerified = claimed.isVerified || claimed.isAutoconfirmed;
  const create = (address: string | null, isConfirmed: boolean, mailsTo: string | null = null): Decision =>
    rules.isSignUpDisabled
      ? refusing(refuse('signupDisabled'))
      : { kind: 'create', email: address, isConfirmed, mailsTo, releaseFrom: null };

  if (email !== '' && isVerified && !isAddressTaken) return create(email, true);
  // Single sign-on accounts of a domain of their own may share an address with anybody.
  if (email !== '' && claimed.isVerified && rules.ownDomainProviders.includes(rules.provider))
    return create(email, true);
  if (email === '' && (rules.isEmailOptional || rules.allowsUnverified)) return create(null, false);
  const owned = refusing(refuse('providerEmailOwned', { provider: rules.provider }));
  if (email === '') return owned;
  if (isAddressTaken) return rules.allowsUnverified ? create(null, false) : owned;
  if (rules.allowsUnverified) return create(email, false, email);
  return rules.isSignUpDisabled ? refusing(refuse('signupDisabled')) : { kind: 'wait', email };
}
