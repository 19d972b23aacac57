/** For which organization a user allows what a client asks (docs/organizations.md, Signing in to applications). */

import type { OauthClientRow } from '../../db/oauth-clients.js';
import { listCandidates, type NamedOrganization } from '../../db/oauth-organizations.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { AuthorizeError } from './request-fields.js';
import { ORGANIZATION_SCOPE } from './scopes.js';

/** What a request says of organizations. */
export interface OrganizationRequest {
  /** Id or slug of the one that the client names, as it came; null: it names none. */
  readonly askedOrganization: string | null;
  /** The user chooses in any case. */
  readonly asksOrganization: boolean;
}

/** The same as it is stored, with what it depends on. */
export interface StoredRequest {
  readonly scopes: readonly string[];
  readonly asked_organization: string | null;
  readonly asks_organization: boolean;
}

/** What is left to choose. */
export interface OrganizationChoice {
  /** Those that it may be for, the newest membership first. */
  readonly options: readonly NamedOrganization[];
  /** The user has to say which. */
  readonly isAsked: boolean;
  /** The only one; null: there is none, or the user has to say which. */
  readonly only: NamedOrganization | null;
}

const NO_CHOICE: OrganizationChoice = { options: [], isAsked: false, only: null };

/** A user with more of them has a client that names one. */
const MAX_OPTIONS = 200;
const MAX_NAMED = 100;

/**
 * @param named parameter `organization`. @param prompts values of `prompt`
 * @throws AuthorizeError
 */
export function readOrganizationRequest(
  { organizationsEnabled: isOn }: Pick<App['config'], 'organizationsEnabled'>,
  { organization_id: served }: Pick<OauthClientRow, 'organization_id'>,
  scopes: readonly string[],
  named: string | undefined,
  prompts: ReadonlySet<string> = new Set(),
): OrganizationRequest {
  if (!isOn) return { askedOrganization: null, asksOrganization: false };
  if (named !== undefined && named.length > MAX_NAMED) {
    throw new AuthorizeError('invalid_request', 'organization is too long');
  }
  if (named !== undefined && served === null && !scopes.includes(ORGANIZATION_SCOPE)) {
    throw new AuthorizeError('invalid_request', `organization needs the scope ${ORGANIZATION_SCOPE}`);
  }
  return { askedOrganization: named || null, asksOrganization: prompts.has('select_organization') };
}

/**
 * What the user has to choose. Whether an organization exists that the client names shows only to its members.
 * @throws ApiError notAMember where the client is for an organization that is none of the user
 */
export async function readOrganizationChoice(
  app: Pick<App, 'config' | 'db'>,
  request: StoredRequest,
  client: OauthClientRow,
  userId: string,
): Promise<OrganizationChoice> {
  // A client of an organization serves its members, whether or not it wants to know more of it.
  const { organization_id: served } = client;
  const isOn = app.config.organizationsEnabled;
  if (served !== null && !isOn) throw refusal(userId);
  if (served === null && !(isOn && request.scopes.includes(ORGANIZATION_SCOPE))) return NO_CHOICE;
  const { asked_organization: named, asks_organization: isAskedAlways } = request;
  const options = await listCandidates(app.db, userId, served, named, MAX_OPTIONS);
  if (options.length === 0 && (named !== null || served !== null)) throw refusal(userId);
  const isAsked = options.length > 1 || (options.length === 1 && isAskedAlways);
  return { options, isAsked, only: options.length === 1 ? options[0]! : null };
}

/**
 * @param given id of the organization that the user has chosen; undefined: none
 * @returns the id of the organization that the request is for; null: it is for none
 * @throws ApiError notAMember, organizationChoiceMissing
 */
export async function chooseOrganization(
  app: Pick<App, 'config' | 'db'>,
  request: StoredRequest,
  client: OauthClientRow,
  userId: string,
  given: string | undefined,
): Promise<string | null> {
  const { options, only } = await readOrganizationChoice(app, request, client, userId);
  if (!given) {
    if (options.length > 1) throw apiError('organizationChoiceMissing');
    return only?.id ?? null;
  }
  if (options.length === 0) return null;
  const isGiven = ({ id }: NamedOrganization): boolean => id === given.toLowerCase();
  const isLong = options.length === MAX_OPTIONS;
  const chosen = isLong ? await listCandidates(app.db, userId, client.organization_id, given, 1) : options;
  const found = chosen.find(isGiven);
  if (found === undefined) throw refusal(userId);
  return found.id;
}

const refusal = (userId: string) => apiError('notAMember', {}, { about: { userId } });
