/** The client_credentials grant (RFC 6749 4.4): a client gets a token for itself, in the form of RFC 9068. */
import { randomUUID } from 'node:crypto';
import { appendAudit } from '../../db/audit.js';
import type { OauthClientRow } from '../../db/oauth-clients.js';
import { auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { apiError } from '../errors.js';
import { issuerOf } from '../keys/issuer.js';
import type { App } from '../runtime/app.js';
import { authenticateClient } from './client-authentication.js';
import { MACHINE_GRANT } from './client-fields.js';
import { assertGrantOf } from './client-sessions.js';
import type { ClientTokenResponse, TokenRequest } from './contract.js';
import { namesClient } from './document-client.js';
import { readProvenKey, tokenTypeOf } from './proven-key.js';
import { findResourceFault } from './resources.js';
import { ownScopes } from './scopes.js';
import { claimsOfServed, isPermittedInServed } from './served-organization.js';

/**
 * No session stands behind the token, so there is no refresh token, and no endpoint of users or administrators takes it.
 * @throws ApiError clientNotProven, grantTypeUnsupported, machineRoleRefused, machineScopeRefused, machineResourceRefused,
 *   machineOrganizationGone, and those of the key
 */
export async function issueMachineToken(
  app: App,
  { client, presented, parameters, request }: TokenRequest,
): Promise<ClientTokenResponse> {
  const { client: oauthClient } = await authenticateClient(app, presented, false);
  if (!app.config.oauthServerClientCredentialsEnabled) throw apiError('grantTypeUnsupported');
  assertGrantOf(oauthClient, MACHINE_GRANT);
  const jkt = await readProvenKey(app, request, oauthClient);
  const role = roleOf(app, oauthClient);
  const organization = await claimsOfServed(app, oauthClient);
  const scope = readMachineScopes(app, oauthClient, parameters.get('scope')).join(' ');
  const resources = [...new Set(parameters.all('resource'))];
  const fault = findResourceFault(app.config, resources);
  if (fault !== null) throw apiError('machineResourceRefused', { reason: fault });
  if (await namesClient(app, resources)) throw apiError('machineResourceRefused', { reason: 'resource is a client' });
  const actor = { id: oauthClient.id, email: oauthClient.name, phone: null };
  const audit = [auditEntry(actor, 'oauth_token_issued', { client_id: oauthClient.id, grant_type: MACHINE_GRANT })];
  await appendAudit(app.db, storedAudit(app, audit));
  logAudit(app, client.requestId, audit);
  const { jwtExpiresInSeconds: expiresIn } = app.config;
  const given = { role, scope, resources, expiresIn, jkt, organization };
  const payload = renderMachineClaims(app, oauthClient, given);
  return {
    access_token: await app.crypto.signJwt(payload, 'at+jwt'),
    token_type: tokenTypeOf(jkt),
    expires_in: expiresIn,
    ...(scope !== '' && { scope }),
  };
}

/**
 * The setting may have changed since the client got its role. Without one a client of an organization, whose owners add it, gets none of
 * administrators.
 * @throws ApiError machineRoleRefused
 */
function roleOf({ config }: App, client: OauthClientRow): string {
  const permitted = config.oauthServerMachineRoles;
  const { organization_id: served } = client;
  const usual = permitted.find((role) => served === null || !config.jwtAdminRoles.includes(role)) ?? '';
  const role = client.role ?? usual;
  if (!permitted.includes(role)) throw apiError('machineRoleRefused', { role });
  return role;
}

/**
 * Of the operator's scopes only: the others are about a user. A client of an organization has those that are also the name of a permission of
 * its roles, since its owners say which it may ask for.
 * @param scope as sent; undefined: those of the client
 * @throws ApiError machineScopeRefused
 */
function readMachineScopes(app: App, client: OauthClientRow, scope: string | undefined): readonly string[] {
  const { config } = app;
  const own = ownScopes(config);
  const mayHave = (one: string): boolean =>
    own.has(one) && (client.scopes === null || client.scopes.includes(one)) && isPermittedInServed(app, client, one);
  if (scope === undefined) return (client.scopes ?? []).filter(mayHave);
  const asked = [...new Set(scope.split(' ').filter(Boolean))];
  const refused = asked.find((one) => !mayHave(one));
  if (refused !== undefined && config.oauthServerUnknownScopes === 'refuse') {
    throw apiError('machineScopeRefused', { scope: refused });
  }
  return asked.filter(mayHave);
}

/** RFC 9068 2.2. @returns the claims as JSON */
function renderMachineClaims(
  { config }: App,
  { id }: OauthClientRow,
  given: {
    readonly role: string;
    readonly scope: string;
    readonly resources: readonly string[];
    readonly expiresIn: number;
    readonly jkt: string | null;
    readonly organization: Readonly<Record<string, unknown>>;
  },
): string {
  const { role, scope, resources, expiresIn, jkt, organization } = given;
  const iat = Math.floor(Date.now() / 1000);
  const [first = config.jwtAudience] = resources;
  return JSON.stringify({
    iss: issuerOf(config),
    sub: id,
    aud: resources.length > 1 ? resources : first,
    exp: iat + expiresIn,
    iat,
    jti: randomUUID(),
    client_id: id,
    role,
    ...(scope !== '' && { scope }),
    ...(jkt !== null && { cnf: { jkt } }),
    ...organization,
  });
}
