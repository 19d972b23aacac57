import { insertExternalFlow, type LinkTarget } from '../../db/flow-states.js';
import { findInvited } from '../../db/identities.js';
import { hashLink } from '../codes/one-time.js';
import { readPkce } from '../codes/pkce.js';
import { validitySeconds } from '../codes/send-rules.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { hashBrowserSecret, makeFlowSecrets } from './flow-state.js';
import type { AttemptTrace } from './tracing/attempt-trace.js';

export interface AuthorizeRequest {
  /** Case-insensitive. */
  readonly provider: string;
  readonly scopes: string;
  readonly codeChallenge: string;
  readonly codeChallengeMethod: string;
  /** Token of an invitation link; '' for none. */
  readonly inviteToken: string;
  /** The whole query; what clients may set is passed on to the provider. */
  readonly parameters: ReadonlyMap<string, string>;
  /** An allowed target. */
  readonly redirectTo: string;
  /** Binds the flow to this browser; null if the client's code verifier does. */
  readonly browserSecret: string | null;
  /** Account and session that link an identity; null: a sign-in. */
  readonly linkTo: LinkTarget | null;
  /** Flow of the hosted pages that the sign-in is part of; null: none. */
  readonly pageFlowId: string | null;
  /** Of an operator who follows this attempt; null: nobody does. */
  readonly trace: AttemptTrace | null;
}

/**
 * Starts a sign-in at a provider (RFC 6749 4.1.1).
 * @returns the URL to redirect the browser to
 * @throws ApiError in the order of docs/decisions.md, Order of checks
 */
export async function beginExternalSignIn(app: App, request: AuthorizeRequest): Promise<string> {
  const provider = await app.providers.find(request.provider);
  if ('unusable' in provider) throw apiError('unsupportedProvider', { reason: provider.unusable });
  const inviteTokenHash = request.inviteToken === '' ? null : await hashLink(app, request.inviteToken);
  if (inviteTokenHash !== null) {
    const invited = await findInvited(app.db, inviteTokenHash, validitySeconds(app, 'email'));
    if (invited === undefined) throw apiError('invitedUserNotFound');
  }
  const pkce = readPkce(request.codeChallenge, request.codeChallengeMethod, 'oauth');
  const { flowId, ...secrets } = makeFlowSecrets(app.keys.flow.current);
  const { scopes, parameters, trace } = request;
  trace?.hide(secrets.state, secrets.codeVerifier, secrets.nonce, request.inviteToken, request.browserSecret);
  const watch = trace ?? undefined;
  const { url, providerState: state } = await provider.authorizationUrl({ ...secrets, scopes, parameters, watch });
  trace?.noteDeparture(parameters, url);
  const { binding } = provider;
  const providerState = binding === undefined ? state : { ...state, binding };
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
    pageFlowId: request.pageFlowId,
    traceId: trace?.id ?? null,
  });
  app.housekeeping.recordFlow();
  return url;
}
