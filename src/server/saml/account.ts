/** The account of a person who signed in at a company. It is apart from accounts of other ways to sign in, unless it joins one (join-account.ts). */
import { randomUUID } from 'node:crypto';
import { findProvisionedAccount } from '../../db/provisioned-accounts.js';
import {
  findSsoAccount,
  readSsoRefusal,
  type SsoAccount,
  type SsoAccountToJoin,
  type SsoSignInInput,
  signInSso,
} from '../../db/sso.js';
import type { SsoProviderRow } from '../../db/sso-providers.js';
import type { Metadata } from '../../db/user-rows.js';
import type { SamlAssertion } from '../../workers/saml-wire.js';
import { normaliseEmail } from '../accounts/addresses.js';
import { type Actor, auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { assertNewTokenFits } from '../accounts/metadata.js';
import { assertMayCreate } from '../accounts/new-user-hook.js';
import { hashAuthCode } from '../codes/one-time.js';
import { apiError } from '../errors.js';
import { retryStalePlans, unlessStale } from '../external/stale-plan.js';
import { type Joining, joiningAtSignIn } from '../organizations/join-at-sign-in.js';
import { joiningBy } from '../organizations/joining-roles.js';
import type { App, Client } from '../runtime/app.js';
import { type SignedIn, signInWithClaims } from '../sessions/decided-claims.js';
import { issueTokens, type TokenResponse } from '../sessions/open.js';
import { findAccountToJoin, prepareJoin } from './join-account.js';
import { attributeReader, type SamlPerson } from './mapping.js';
import { hashOfUsed } from './received-message.js';

export interface SsoSignIn {
  readonly provider: Pick<SsoProviderRow, 'id' | 'entity_id' | 'organization_id' | 'roles' | 'role_mapping'>;
  readonly assertion: SamlAssertion;
  readonly person: SamlPerson;
  /** Of a new account. */
  readonly audience: string;
  /** PKCE of the client; null: a session is opened at once. */
  readonly pkce: { readonly challenge: string; readonly method: string } | null;
}

type NamedPerson = Pick<SamlPerson, 'subject' | 'claims' | 'trustedClaims'>;

/** Claim of a mapping. */
const USER_NAME_CLAIM = 'scim_user_name';

export type SsoOutcome = { readonly tokens: TokenResponse } | { readonly authCode: string };

/**
 * @returns null: the assertion was used before
 * @throws ApiError samlEmailMissing, ssoProviderDisabled, signupDisabled, userBanned, accessTokenTooLong, and those of the hooks
 */
export async function signInWithAssertion(app: App, client: Client, request: SsoSignIn): Promise<SsoOutcome | null> {
  const { email, identityData } = prepareSsoAccount(app, request.provider, request.person);
  const hash = hashOfUsed(request.provider, request.assertion.id);
  return retryStalePlans(async () => {
    const outcome = await trySignIn(app, client, request, { email, identityData, hash });
    if (outcome !== undefined) return outcome;
    // No row: another request used the assertion, or provider or account changed since they were read.
    const refusal = await readSsoRefusal(app.db, hash, request.provider.id);
    if (refusal.is_provider_off) throw apiError('ssoProviderDisabled');
    return refusal.is_used ? null : undefined;
  });
}

interface SsoOwner {
  /** The account that the person has or gets; undefined: a new one is made. */
  readonly owner: SsoAccount | undefined;
  /** The same, where the person joins one with the address for the first time (join-account.ts). */
  readonly joined: SsoAccountToJoin | undefined;
}

/**
 * The account that a person of a provider has.
 * @param email of the person, lower case; '' for none
 * @throws ApiError userBanned, signupDisabled
 */
export async function findSsoOwner(
  { db, config }: Pick<App, 'db' | 'config'>,
  provider: Pick<SsoProviderRow, 'id' | 'organization_id' | 'roles' | 'role_mapping'>,
  person: NamedPerson,
  email: string,
): Promise<SsoOwner> {
  const known = await findKnown({ db, config }, provider, person);
  const mayJoin = known === undefined && email !== '';
  const joined = mayJoin ? await findAccountToJoin({ config }, db, provider, email) : undefined;
  return { owner: assertOwner(config, known ?? joined), joined };
}

/** By its identity, or since the provider has made it before (docs/scim.md). */
async function findKnown(
  { db, config }: Pick<App, 'db' | 'config'>,
  { id, organization_id: organizationId }: Pick<SsoProviderRow, 'id' | 'organization_id'>,
  person: NamedPerson,
): Promise<SsoAccount | undefined> {
  const account = await findSsoAccount(db, `sso:${id}`, person.subject);
  if (account !== undefined || !config.scimEnabled) return account;
  return findProvisionedAccount(db, id, organizationId, userNameOf(person));
}

/** @throws ApiError userBanned, signupDisabled */
function assertOwner(config: App['config'], owner: SsoAccount | undefined): SsoAccount | undefined {
  if (owner?.is_banned) throw apiError('userBanned');
  if (owner === undefined && config.disableSignup) throw apiError('signupDisabled');
  return owner;
}

/** userName of the person in SCIM: what the mapping names so, else the subject. */
function userNameOf({
  subject,
  claims,
  trustedClaims,
}: Pick<SamlPerson, 'subject' | 'claims' | 'trustedClaims'>): string {
  const custom = claims['custom_claims'] as Metadata | undefined;
  const mapped = trustedClaims?.[USER_NAME_CLAIM] ?? custom?.[USER_NAME_CLAIM];
  return typeof mapped === 'string' ? mapped : subject;
}

interface Prepared {
  readonly email: string;
  readonly identityData: Metadata;
  readonly hash: string;
}

async function trySignIn(
  app: App,
  client: Client,
  { provider, assertion, person, audience, pkce }: SsoSignIn,
  { email, identityData, hash }: Prepared,
): Promise<SsoOutcome | undefined> {
  const name = `sso:${provider.id}`;
  const { owner, joined } = await findSsoOwner(app, provider, person, email);
  const join = joined && (await prepareJoin(app, client, provider, joined, person.subject));
  if (owner === undefined) {
    const appMetadata = appMetadataOf(name, person);
    await assertMayCreate(app, client, { audience, email, phone: null, appMetadata, userMetadata: identityData });
  }
  const userId = owner?.id ?? randomUUID();
  const actor: Actor =
    owner === undefined ? { id: userId, email, phone: null } : { ...owner, fullName: owner.full_name };
  const entry = auditEntry(actor, owner === undefined ? 'user_signedup' : 'login', { provider: name });
  const audit = [{ ...entry, actor_via_sso: true }];
  const authCode = pkce === null ? null : randomUUID();
  const { sessionEndsAtMs, sessionIndex, nameId } = assertion;
  const input: SsoSignInInput = {
    userId,
    provider: name,
    subject: person.subject,
    identityData,
    email,
    newUser: owner === undefined ? { aud: audience, role: app.config.jwtDefaultGroupName.trim() } : null,
    trustedClaims: person.trustedClaims,
    assertion: { hash, endsAt: new Date(assertion.endsAtMs).toISOString() },
    providerId: provider.id,
    notAfter: sessionEndsAtMs === null ? null : new Date(sessionEndsAtMs).toISOString(),
    saml: { session_index: sessionIndex, name_id: nameId?.value ?? null, name_id_format: nameId?.format ?? null },
    userAgent: client.userAgent,
    ip: client.ip,
    flow:
      authCode === null
        ? null
        : {
            id: randomUUID(),
            auth_code_hash: await hashAuthCode(app, authCode),
            code_challenge: pkce!.challenge,
            code_challenge_method: pkce!.method,
          },
    audit: storedAudit(app, audit),
    // Members of an organization say whose word counts there, so it vouches for addresses of its domains only.
    isProofNeeded: app.config.samlRequireDomainProof || provider.organization_id !== null,
  };
  const { write, logJoining } = joiningAtSignIn(app, client, joiningOf(provider, assertion), (db) =>
    join === undefined ? signInSso(db, input) : join.write(db, input),
  );
  // Of two first sign-ins at once one makes the account.
  const opened =
    authCode === null
      ? await signInWithClaims(app, client, (db) => unlessStale(write(db)))
      : await unlessStale(write(app.db));
  if (opened === undefined) return undefined;
  logAudit(app, client.requestId, [...(join?.audit ?? []), ...audit]);
  if (join !== undefined && join.notices.length > 0) app.mail.nudge();
  logJoining();
  return authCode === null ? { tokens: await issueTokens(app, opened as SignedIn) } : { authCode };
}

/** Who signs in at the provider of an organization joins it. */
function joiningOf(provider: SsoSignIn['provider'], assertion: SamlAssertion): Joining | null {
  const { organization_id: organizationId } = provider;
  return organizationId === null ? null : joiningBy(organizationId, provider, attributeReader(assertion));
}

/** What a new account has. @throws ApiError samlEmailMissing, accessTokenTooLong */
export function prepareSsoAccount(
  { config }: Pick<App, 'config'>,
  provider: Pick<SsoProviderRow, 'id' | 'entity_id'>,
  person: SamlPerson,
): { readonly email: string; readonly identityData: Metadata } {
  const email = readAddress(person.email);
  const identityData = identityDataOf(provider, person, email);
  const appMetadata = appMetadataOf(`sso:${provider.id}`, person);
  const shared = { audience: config.jwtAudience, email, phone: null, userMetadata: identityData, appMetadata };
  assertNewTokenFits(config, shared);
  return { email, identityData };
}

/** @throws ApiError samlEmailMissing: what the provider calls an address is none */
function readAddress(text: string): string {
  try {
    return normaliseEmail(text);
  } catch (cause) {
    throw apiError('samlEmailMissing', {}, { cause });
  }
}

/** identity_data, and user_metadata of a new account. */
export const identityDataOf = (
  provider: Pick<SsoSignIn['provider'], 'entity_id'>,
  { claims, subject }: Pick<SamlPerson, 'claims' | 'subject'>,
  email: string,
): Metadata => ({
  ...claims,
  iss: provider.entity_id,
  sub: subject,
  email,
  email_verified: true,
  phone_verified: false,
});

const appMetadataOf = (provider: string, { trustedClaims }: SamlPerson): Metadata => ({
  provider,
  providers: [provider],
  ...(trustedClaims && { sso: trustedClaims }),
});
