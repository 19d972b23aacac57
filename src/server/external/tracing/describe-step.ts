/** What the steps of a trace say (docs/decisions.md, Traces of providers). */
import type { Owner } from '../../../db/identities.js';
import type { ApiError } from '../../errors.js';
import type { ExternalProfile } from '../../providers/contract.js';
import type { ClaimedAddresses, LinkingRules, OwnerDecision } from '../account-linking.js';
import { joinCauses } from '../join-causes.js';
import { showParameters } from './mask.js';

type Detail = Readonly<Record<string, unknown>>;

/** What a decision was made from. */
export interface DecisionBasis {
  readonly claimed: ClaimedAddresses;
  readonly found: { readonly people: readonly Owner[]; readonly isAddressTaken: boolean };
  /** Null: an invitation decides. */
  readonly rules: LinkingRules | null;
}

/** @param url that the browser is sent to */
export function describeDeparture(parameters: ReadonlyMap<string, string>, url: string): Detail {
  const { origin, pathname, searchParams: sent } = new URL(url);
  return {
    received: showParameters([...parameters].filter(([name]) => name !== TRACE_PARAMETER)),
    sent_to: `${origin}${pathname}`,
    sent: showParameters(sent),
    uses_pkce: sent.has('code_challenge'),
    uses_nonce: sent.has('nonce'),
  };
}

/** The query parameter of /authorize. */
export const TRACE_PARAMETER = 'latchkey_trace';

export const describeReturn = (parameters: ReadonlyMap<string, string>, isStateOurs: boolean): Detail => ({
  received: showParameters(parameters),
  state: isStateOurs ? 'ours' : parameters.get('state') ? 'refused' : 'missing',
});

export const describeProfile = ({ subject, addresses, claims }: ExternalProfile): Detail => ({
  subject,
  addresses: addresses.map(({ email, isVerified, isPrimary }) => ({
    email,
    is_verified: isVerified,
    is_primary: isPrimary,
  })),
  claims,
});

export function describeDecision(decision: OwnerDecision, { claimed, found, rules }: DecisionBasis): Detail {
  const { rule, kind } = decision;
  const owner = 'owner' in decision ? decision.owner : null;
  return {
    rule,
    kind,
    user_id: owner?.id ?? null,
    is_identity_new: owner === null ? null : !owner.is_known,
    ...('change' in decision && { proves_address: decision.change === 'proven' }),
    ...('email' in decision && { email: decision.email }),
    ...('mailsTo' in decision && { mails_to: decision.mailsTo }),
    ...('releaseFrom' in decision && { released_from: decision.releaseFrom }),
    claimed: { email: claimed.email, is_verified: claimed.isVerified, verified_emails: claimed.verifiedEmails },
    is_address_taken: found.isAddressTaken,
    accounts: found.people.map(describeOwner),
    rules: rules && {
      linking_domain: rules.domain,
      is_email_optional: rules.isEmailOptional,
      allows_unverified: rules.allowsUnverified,
      is_sign_up_disabled: rules.isSignUpDisabled,
      is_autoconfirmed: claimed.isAutoconfirmed,
    },
  };
}

const describeOwner = ({ id, is_known, ...owner }: Owner): Detail => ({
  id,
  has_identity: is_known,
  is_banned: owner.is_banned,
  is_email_confirmed: owner.is_email_confirmed,
  is_phone_confirmed: owner.is_phone_confirmed,
  is_email_proven: owner.is_email_proven,
  is_phone_proven: owner.is_phone_proven,
});

export const describeFailure = ({ entry, errorCode, status, message, cause }: ApiError): Detail => ({
  error: entry,
  error_code: errorCode,
  status,
  message,
  cause: cause instanceof Error ? joinCauses(cause) : null,
});
