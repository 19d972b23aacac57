/** Every rule of account linking is reached by some sign-in, and says so. */

import type { Owner } from '../../src/db/identities.js';
import { linkingRules } from '../../src/server/console/explanations/linking-rules.js';
import {
  type ClaimedAddresses,
  decideForProvisioned,
  decideOwner,
  type LinkingRule,
  type LinkingRules,
} from '../../src/server/external/account-linking.js';
import { t } from '../support/tap.js';

const EMAIL = 'ada@example.com';
const nobody: ClaimedAddresses = { email: '', isVerified: false, isAutoconfirmed: false, verifiedEmails: [] };
const unverified = { ...nobody, email: EMAIL };
const verified = { ...unverified, isVerified: true, verifiedEmails: [EMAIL] };
const strict: LinkingRules = {
  provider: 'github',
  isEmailOptional: false,
  allowsUnverified: false,
  isSignUpDisabled: false,
  domain: 'default',
};
const account: Owner = {
  id: '0f8fad5b-d9cb-469f-a165-70867728950e',
  email: EMAIL,
  phone: null,
  full_name: null,
  is_anonymous: false,
  is_email_confirmed: true,
  is_phone_confirmed: false,
  is_email_proven: true,
  is_phone_proven: false,
  is_banned: false,
  is_operators_email: false,
  is_known: false,
};
const unproven = { ...account, is_email_confirmed: false, is_email_proven: false };
const autoconfirmed = { ...unproven, is_email_confirmed: true };
const known = { ...account, is_known: true };
const knownUnproven = { ...unproven, is_known: true };
const byPhone = { ...unproven, is_phone_confirmed: true, is_phone_proven: true };

type Case = readonly [
  rule: LinkingRule,
  kind: string,
  claimed: ClaimedAddresses,
  people: readonly Owner[],
  more?: Partial<LinkingRules> & { readonly isTaken?: boolean },
];

const cases: readonly Case[] = [
  ['banned', 'reject', verified, [{ ...account, is_banned: true }]],
  ['banned', 'reject', verified, [{ ...known, is_banned: true }]],
  ['identity_known', 'sign_in', nobody, [known]],
  ['identity_known', 'sign_in', nobody, [{ ...knownUnproven, email: null, is_phone_confirmed: true }]],
  ['identity_proves_address', 'sign_in', verified, [knownUnproven]],
  ['identity_proves_address', 'sign_in', verified, [{ ...autoconfirmed, is_known: true }]],
  ['identity_known', 'sign_in', unverified, [{ ...autoconfirmed, is_known: true }]],
  ['identity_without_address', 'reject', nobody, [{ ...knownUnproven, email: null }]],
  ['identity_address_unproven', 'confirm', unverified, [knownUnproven]],
  ['unverified_allowed', 'sign_in', unverified, [knownUnproven], { allowsUnverified: true }],
  ['unverified_allowed', 'create', unverified, [], { allowsUnverified: true }],
  ['several_accounts', 'reject', verified, [account, { ...account, id: '1f8fad5b-d9cb-469f-a165-70867728950e' }]],
  ['address_linked', 'sign_in', verified, [account]],
  ['address_proven', 'sign_in', verified, [unproven]],
  ['address_proven', 'sign_in', verified, [autoconfirmed]],
  ['address_of_unproven', 'reject', verified, [{ ...unproven, email: 'other@example.com' }]],
  ['address_of_phone_account', 'create', verified, [byPhone]],
  ['sign_up_disabled', 'reject', verified, [byPhone], { isSignUpDisabled: true }],
  ['address_new', 'create', verified, []],
  ['address_new', 'create', verified, [], { domain: 'partner', isTaken: true }],
  ['address_unverified', 'pending_sign_up', unverified, []],
  ['sign_up_disabled', 'reject', unverified, [], { isSignUpDisabled: true }],
  ['address_taken', 'reject', unverified, [], { isTaken: true }],
  ['address_taken', 'create', unverified, [], { isTaken: true, allowsUnverified: true }],
  ['no_address', 'reject', nobody, []],
  ['no_address', 'create', nobody, [], { isEmailOptional: true }],
];

t.test('each decision names its rule', async (t) => {
  for (const [rule, kind, claimed, people, { isTaken = false, ...more } = {}] of cases) {
    const decision = decideOwner(claimed, { people, isAddressTaken: isTaken }, { ...strict, ...more });
    t.match(decision, { rule, kind }, `${rule}: ${kind}`);
  }
  // Whom the organization of the provider has provisioned (decide-sign-in.ts).
  t.match(decideForProvisioned(account), { rule: 'provisioned', kind: 'sign_in', change: 'met' });
  t.match(decideForProvisioned({ ...account, is_banned: true }), { rule: 'banned', kind: 'reject' });
  // Invitations decide by themselves (sign-in-plan.ts).
  const reached = new Set<string>([...cases.map(([rule]) => rule), 'provisioned', 'invited']);
  t.same(Object.keys(linkingRules).sort(), [...reached].sort());
});
