/** The way back from a provider (service.md, GET /callback; reference/providers.md 2). */
import { type LinkTarget, type ReturnedFlow, takeExternalFlow } from '../../db/flow-states.js';
import type { App, Client } from '../app.js';
import { refuse } from '../errors.js';
import type { ProviderRefusal, ProviderState } from '../providers/contract.js';
import { type ExternalOutcome, signInFromProvider } from './external-sign-in.js';
import { type FlowSecrets, hashBrowserSecret, openState } from './flow-state.js';
import { keepLink } from './link-exchange.js';
import { findLinkTarget, linkIdentity, readWanted } from './link-identity.js';

/** SEC-60: as long as it takes to find a password at the provider. */
export const FLOW_SECONDS = 600;

/** A flow that was taken: it cannot be taken again. */
export interface TakenFlow {
  readonly secrets: FlowSecrets;
  readonly row: ReturnedFlow;
}

/**
 * @param state as the provider brought it back
 * @param browserSecret of the browser's cookie, if it has one
 * @throws Refusal stateMissing, stateInvalid, stateNotFound, stateExpired, stateUsed, stateOfOtherBrowser,
 *   linkOfOtherBrowser, linkingTargetNotFound: nobody knows where to redirect to
 */
export async function takeFlow(app: App, state: string, browserSecret: string | null): Promise<TakenFlow> {
  if (state === '') throw refuse('stateMissing');
  const secrets = openState(state, app.keys.flow.accepted(Date.now()));
  if (secrets === undefined) throw refuse('stateInvalid');
  const browserHash = browserSecret === null ? null : hashBrowserSecret(browserSecret);
  const row = await takeExternalFlow(app.db, secrets.flowId, browserHash, FLOW_SECONDS);
  if (row === undefined) throw refuse('stateNotFound');
  if (row.is_taken) return { secrets, row };
  if (row.is_of_other_browser) {
    throw refuse(row.linking_target_id === null ? 'stateOfOtherBrowser' : 'linkOfOtherBrowser');
  }
  if (row.is_used) throw refuse('stateUsed');
  if (row.is_expired) throw refuse('stateExpired');
  // A second callback took it between our read and our write, or there is nobody to link to.
  throw refuse(row.linking_target_id === null ? 'stateUsed' : 'linkingTargetNotFound');
}

/** What came of a callback. */
export type CallbackOutcome =
  | ProviderRefusal
  | (ExternalOutcome & {
      readonly provider: string;
      readonly providerToken: string | null;
      readonly providerRefreshToken: string | null;
    });

/**
 * Redeems what the provider sent with the browser.
 * @param parameters form fields and query of the callback
 * @param audience of an account that is made
 * @throws Refusal as reference/providers.md 2.5
 */
export async function finishExternalSignIn(
  app: App,
  client: Client,
  { secrets, row }: TakenFlow,
  parameters: ReadonlyMap<string, string>,
  audience: string,
): Promise<CallbackOutcome> {
  const provider = app.providers.find(row.provider);
  if ('unusable' in provider) throw refuse('providerNotSupported', { reason: provider.unusable });
  const { flowId, codeVerifier, nonce } = secrets;
  const linkTo = linkTargetOf(row);
  if (linkTo !== null) await findLinkTarget(app, linkTo);
  const answer = await provider.readAnswer({
    parameters,
    codeVerifier,
    nonce,
    providerState: openProviderState(app, flowId, row.provider_state),
  });
  if ('refused' in answer) return answer;
  const { profile, accessToken, refreshToken } = answer;
  const shared = { provider: provider.name, providerToken: accessToken, providerRefreshToken: refreshToken };
  if (linkTo !== null) {
    const wanted = readWanted(app, provider.name, profile);
    // Without PKCE the cookie has shown that this is the browser that began the link (begin_external).
    return row.wants_auth_code
      ? { ...shared, authCode: await keepLink(app, flowId, linkTo, wanted, { accessToken, refreshToken }) }
      : { ...shared, tokens: await linkIdentity(app, client, wanted, linkTo, null) };
  }
  const outcome = await signInFromProvider(app, client, {
    provider: provider.name,
    isEmailOptional: provider.isEmailOptional,
    profile,
    audience,
    purpose: purposeOf(row),
    flow: row.wants_auth_code ? { id: flowId, accessToken, refreshToken } : null,
  });
  return { ...outcome, ...shared };
}

/**
 * @returns null for a sign-in
 * @throws Refusal sessionNotFound: the session that asked for the link has ended
 */
function linkTargetOf({ linking_target_id: userId, linking_session_id: sessionId }: ReturnedFlow): LinkTarget | null {
  if (userId === null) return null;
  if (sessionId === null) throw refuse('sessionNotFound');
  return { userId, sessionId };
}

function purposeOf(row: ReturnedFlow) {
  if (row.invite_token_hash !== null) return { kind: 'invite', linkHash: row.invite_token_hash } as const;
  return { kind: 'sign_in' } as const;
}

/** @throws Refusal stateInvalid when the secret it was sealed with is no longer accepted */
function openProviderState(app: App, flowId: string, sealed: string | null): ProviderState | null {
  if (sealed === null) return null;
  const text = app.keys.flowSealer.open(flowId, sealed);
  if (text === null) throw refuse('stateInvalid');
  return JSON.parse(text) as ProviderState;
}
