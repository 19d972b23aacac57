import { insertExternalFlow, type LinkTarget } from '../../db/flow-states.js';
import { findInvited } from '../../db/identities.js';
import type { App } from '../app.js';
import { refuse } from '../errors.js';
import { hashBrowserSecret, makeFlowSecrets } from './flow-state.js';
import { hashLink } from './one-time.js';
import { readPkce } from './pkce.js';
import { validitySeconds } from './send-rules.js';

export interface AuthorizeRequest {
  /** In any case. */
  readonly provider: string;
  readonly scopes: string;
  readonly codeChallenge: string;
  readonly codeChallengeMethod: string;
  /** Of the link in an invitation; '' for none. */
  readonly inviteToken: string;
  /** The whole query: the provider gets what it may get of it. */
  readonly parameters: ReadonlyMap<string, string>;
  /** Checked target. */
  readonly redirectTo: string;
  /** Of the browser that will come back; null where the client's verifier takes its place. */
  readonly browserSecret: string | null;
  /** The account that asked to link an identity, with the session that asked; null: a sign-in. */
  readonly linkTo: LinkTarget | null;
}

/**
 * Begins a sign-in at a provider (service.md, GET /authorize; reference/providers.md 1; RFC 6749 4.1.1).
 * @returns where to send the browser
 * @throws Refusal as reference/providers.md 1.2, in that order
 */
export async function beginExternalSignIn(app: App, request: AuthorizeRequest): Promise<string> {
  const provider = app.providers.find(request.provider);
  if ('unusable' in provider) throw refuse('unsupportedProvider', { reason: provider.unusable });
  const inviteTokenHash = request.inviteToken === '' ? null : await hashLink(app, request.inviteToken);
  if (inviteTokenHash !== null) {
    const invited = await findInvited(app.db, inviteTokenHash, validitySeconds(app, 'email'));
    if (invited === undefined) throw refuse('invitedUserNotFound');
  }
  const pkce = readPkce(request.codeChallenge, request.codeChallengeMethod, 'oauth');
  const { flowId, ...secrets } = makeFlowSecrets(app.keys.flow.current);
  const { scopes, parameters } = request;
  const { url, providerState } = await provider.authorizationUrl({ ...secrets, scopes, parameters });
  await insertExternalFlow(app.db, {
    id: flowId,
    provider: provider.name,
    codeChallenge: pkce?.challenge ?? null,
    codeChallengeMethod: pkce?.method ?? null,
    browserHash: request.browserSecret === null ? null : hashBrowserSecret(request.browserSecret),
    providerState: providerState && app.keys.flowSealer.seal(flowId, JSON.stringify(providerState)),
    redirectTo: request.redirectTo,
    inviteTokenHash,
    linkTo: request.linkTo,
  });
  app.housekeeping.noteFlow();
  return url;
}
