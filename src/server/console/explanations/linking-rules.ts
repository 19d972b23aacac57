import type { LinkingRule } from '../../external/account-linking.js';

/** What each rule of account linking says (docs/decisions.md, Account linking). */
export const linkingRules: Readonly<Record<LinkingRule, string>> = {
  banned: 'The account is banned.',
  identity_known: 'An account has this identity: provider and id of the user there.',
  identity_proves_address:
    'An account has this identity and an address that was never proven; the provider vouches for it now. If the account is not proven otherwise, what was there before the proof is removed.',
  identity_without_address: 'The account that has this identity has no address, and nothing else that proves it.',
  identity_address_unproven:
    'The account that has this identity has an address that neither it nor the provider has proven: a mail has to confirm it first.',
  unverified_allowed: 'The address is not proven, and AUTH_MAILER_ALLOW_UNVERIFIED_EMAIL_SIGN_INS lets it in.',
  several_accounts: 'Several accounts of the linking domain have an address that the provider vouches for.',
  address_linked:
    'One account of the linking domain has an address that the provider vouches for: it gets this identity.',
  address_proven:
    'One account has the address, unproven, and the provider vouches for it: it gets this identity, and loses password, sessions and identities from before the proof.',
  address_of_unproven: 'The account with this address is not proven in any way, so nothing links to it.',
  address_of_phone_account:
    'An account that is proven by its phone has the address, unproven: it loses the address to a new account.',
  address_new: 'No account has this identity or its address, which counts as confirmed: a new account is made.',
  address_unverified:
    'No account has the address, and the provider does not vouch for it: the account is made when a mail is answered.',
  address_taken: 'An account has the address, and the provider does not vouch for it.',
  no_address: 'The provider told no address.',
  sign_up_disabled: 'A new account would be needed, and AUTH_DISABLE_SIGNUP forbids it.',
  provisioned:
    'The organization of the provider has provisioned an account for this person (SCIM), which gets this identity: its externalId or userName is what the provider says.',
  invited: 'The address is that of the invitation, whose link proves it: the invited account gets this identity.',
};
