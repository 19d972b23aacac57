/** The userinfo endpoint (OpenID Connect Core 5.3). */
import { findClient } from '../../db/oauth-clients.js';
import { findOwnOrganization } from '../../db/organizations.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import type { UserCaller } from '../sessions/caller.js';
import { isClientToken } from '../sessions/find-caller.js';
import { toldMetadata } from '../sessions/told-metadata.js';
import { storedKey } from './client-id.js';
import {
  emailClaims,
  organizationClaims,
  phoneClaims,
  profileClaims,
  type ToldOrganization,
} from './profile-claims.js';
import { ORGANIZATION_SCOPE } from './scopes.js';
import { subjectOf } from './subject.js';

/**
 * By the scopes of the token; a token without any, as that of a user's own session, learns only who the user is.
 * @throws ApiError sessionNotFound when the client has just been deleted
 */
export async function readUserinfo(app: Pick<App, 'config' | 'db'>, caller: UserCaller) {
  const { user } = caller;
  const sub = await readSubject(app, caller);
  return { ...renderUserinfo(caller, sub, sub !== user.id), ...organizationClaims(await findTold(app, caller)) };
}

/** As it is now: the token names the organization, and the user may have left it. @returns null: none */
async function findTold(
  { config, db }: Pick<App, 'config' | 'db'>,
  { user, claims }: UserCaller,
): Promise<ToldOrganization | null> {
  const { org_id: id } = claims;
  if (!config.organizationsEnabled || !isClientToken(claims) || typeof id !== 'string') return null;
  if (!scopesOf(claims).includes(ORGANIZATION_SCOPE)) return null;
  return (await findOwnOrganization(db, id, user.id)) ?? null;
}

const scopesOf = ({ scope }: UserCaller['claims']): readonly string[] =>
  typeof scope === 'string' ? scope.split(' ') : [];

/** Without a salt no client has other subjects, so nothing is looked up. */
async function readSubject({ config, db }: Pick<App, 'config' | 'db'>, { user, claims }: UserCaller): Promise<string> {
  if (config.oauthServerPairwiseSalt === '' || !isClientToken(claims)) return user.id;
  const key = storedKey(String(claims['client_id']));
  const client = key === null ? undefined : await findClient(db, key);
  if (client === undefined) throw apiError('sessionNotFound');
  return subjectOf(config, client, user.id);
}

function renderUserinfo({ user, claims }: UserCaller, sub: string, isPairwise: boolean): Record<string, unknown> {
  const scopes = scopesOf(claims);
  const { email, email_verified } = emailClaims(user) as { email?: string; email_verified?: boolean };
  const { phone_number: phone, phone_number_verified } = phoneClaims(user);
  return {
    sub,
    ...(scopes.includes('email') && email !== undefined && { email, ...(email_verified && { email_verified }) }),
    // What applications store there, such as ids, is the same for all clients.
    ...(scopes.includes('profile') && {
      ...profileClaims(user),
      ...(!isPairwise && { user_metadata: toldMetadata(user) }),
    }),
    // The names of supabase/auth, and those of OpenID Connect Core 5.1.
    ...(scopes.includes('phone') &&
      phone && {
        phone,
        phone_verified: phone_number_verified,
        phone_number: phone,
        phone_number_verified,
      }),
  };
}
