/** How sure it is that a client is the one that it says it is. */
import type { OauthClientRow } from '../../db/oauth-clients.js';

/**
 * Whether nobody else gets the answer: by the secret of the client, or by the host of the redirect URI. Any program on
 * the user's machine can say that it is a native client, so such a client is asked about each time (RFC 8252 8.6).
 */
export const isIdentified = (
  { client_type: type }: Pick<OauthClientRow, 'client_type'>,
  redirectUri: string,
): boolean => type === 'confidential' || new URL(redirectUri).protocol === 'https:';

/** Whether an administrator has added it, and nobody else changes it: an organization changes its own. */
export const isTrusted = ({
  registration,
  organization_id: organizationId,
}: Pick<OauthClientRow, 'registration' | 'organization_id'>): boolean =>
  registration === 'manual' && organizationId === null;

/**
 * Whether an error may send the browser there by itself, before anybody has signed in (RFC 9700 4.11.2). Everybody can
 * register a client, or found an organization with clients, so links to this server would lead to any site. Other schemes lead to the user's own machine.
 */
export const mayLeadTo = (
  client: Pick<OauthClientRow, 'registration' | 'organization_id'>,
  redirectUri: string,
): boolean => isTrusted(client) || new URL(redirectUri).protocol !== 'https:';
