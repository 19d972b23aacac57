/** The return from a provider: GET and POST /callback (RFC 6749 4.1.2). */
import { claimExternalFlow, type LinkTarget, type ReturnedFlow } from '../../db/flow-states.js';
import { type ApiError, apiError, asApiError } from '../errors.js';
import type { ProviderDenial, ProviderState } from '../providers/contract.js';
import type { App, Client } from '../runtime/app.js';
import { type FlowSecrets, hashBrowserSecret, openState } from './flow-state.js';
import { storeLink } from './link-exchange.js';
import { findLinkTarget, linkIdentity, readWanted } from './link-identity.js';
import { withVouchedAddresses } from './organization-of-profile.js';
import { type ExternalOutcome, signInFromProvider } from './provider-sign-in.js';
import { type AttemptTrace, readTraceSecret, resumeTrace } from './tracing/attempt-trace.js';

/** SEC-60: time enough to look up a password. */
export const PROVIDER_FLOW_SECONDS = 600;

/** A flow is claimed once. */
export interface ClaimedFlow {
  readonly secrets: FlowSecrets;
  readonly row: ReturnedFlow;
  /** Of an operator who follows the attempt; null: nobody does. */
  readonly trace: AttemptTrace | null;
}

export interface UnclaimedFlow {
  readonly failure: ApiError;
  /** The flow of the hosted pages that this browser came from, as after a double click at the provider; null: unknown. */
  readonly pageFlowId: string | null;
}

/**
 * Claims the flow of a callback.
 * @param parameters of the callback, of which `state` names the flow
 * @param browserSecret from the cookie, if there is one
 * @returns where it cannot be claimed, one of stateMissing, stateInvalid, stateNotFound, stateExpired, stateUsed,
 *   stateOfOtherBrowser, linkOfOtherBrowser, linkingTargetNotFound, traceNotUsable
 * @throws ApiError of the server, after which the browser may reload
 */
export async function claimFlow(
  app: App,
  parameters: ReadonlyMap<string, string>,
  browserSecret: string | null,
): Promise<ClaimedFlow | UnclaimedFlow> {
  const found: { row?: ReturnedFlow | undefined } = {};
  try {
    const state = parameters.get('state') ?? '';
    if (state === '') throw apiError('stateMissing');
    const secrets = openState(state, app.keys.flow.accepted(Date.now()));
    if (secrets === undefined) throw apiError('stateInvalid');
    const browserHash = browserSecret === null ? null : hashBrowserSecret(browserSecret);
    const row = await claimExternalFlow(app.db, secrets.flowId, browserHash, PROVIDER_FLOW_SECONDS);
    found.row = row;
    assertClaimed(row);
    const trace = row.trace_id === null ? null : await resumeTrace(app, row.trace_id);
    trace?.hide(secrets.codeVerifier, secrets.nonce, browserSecret);
    trace?.noteReturn(parameters, null);
    return { secrets, row, trace };
  } catch (error) {
    const failure = asApiError(error);
    const traceId = found.row?.trace_id ?? readTraceSecret(app, browserSecret);
    if (traceId !== null) await noteUnclaimed(app, traceId, parameters, failure);
    if (failure.status >= 500) throw error;
    const isOfThisBrowser = found.row?.is_of_other_browser === false;
    return { failure, pageFlowId: isOfThisBrowser ? found.row!.page_flow_id : null };
  }
}

/** @throws ApiError, see {@link claimFlow} */
function assertClaimed(row: ReturnedFlow | undefined): asserts row is ReturnedFlow {
  if (row === undefined) throw apiError('stateNotFound');
  if (row.is_taken) return;
  if (row.is_of_other_browser) {
    throw apiError(row.linking_target_id === null ? 'stateOfOtherBrowser' : 'linkOfOtherBrowser');
  }
  if (row.is_used) throw apiError('stateUsed');
  if (row.is_expired) throw apiError('stateExpired');
  // A concurrent callback claimed it, or the account to link to is gone.
  throw apiError(row.linking_target_id === null ? 'stateUsed' : 'linkingTargetNotFound');
}

/** The attempt may still come back as it should, so the trace goes on. */
async function noteUnclaimed(
  app: App,
  traceId: string,
  parameters: ReadonlyMap<string, string>,
  error: ApiError,
): Promise<void> {
  const trace = await resumeTrace(app, traceId).catch(() => null);
  trace?.noteReturn(parameters, error);
  await trace?.settle();
}

export type CallbackOutcome =
  | ProviderDenial
  | (ExternalOutcome & {
      readonly provider: string;
      readonly providerToken: string | null;
      readonly providerRefreshToken: string | null;
    });

/**
 * Completes a sign-in or a link with the parameters of the callback.
 * @param parameters form fields and query
 * @param audience of a new account
 * @throws ApiError, which the caller turns into a redirect
 */
export async function finishExternalSignIn(
  app: App,
  client: Client,
  { secrets, row, trace }: ClaimedFlow,
  parameters: ReadonlyMap<string, string>,
  audience: string,
): Promise<CallbackOutcome> {
  const provider = await app.providers.find(row.provider);
  if ('unusable' in provider) throw apiError('providerNotSupported', { reason: provider.unusable });
  const { flowId, codeVerifier, nonce } = secrets;
  const linkTo = readLinkTarget(row);
  if (linkTo !== null) await findLinkTarget(app, linkTo);
  const providerState = openProviderState(app, flowId, row.provider_state);
  // The code must not go to a provider that took the name of another one meanwhile (RFC 9700 4.4).
  if (providerState?.['binding'] !== provider.binding) throw apiError('stateInvalid');
  const answer = await provider.readAnswer({
    parameters,
    codeVerifier,
    nonce,
    providerState,
    watch: trace ?? undefined,
  });
  if ('refused' in answer) return answer;
  const { accessToken, refreshToken } = answer;
  const profile = await withVouchedAddresses(app, provider.name, answer.profile);
  trace?.noteProfile(profile);
  const shared = { provider: provider.name, providerToken: accessToken, providerRefreshToken: refreshToken };
  if (linkTo !== null) {
    const wanted = readWanted(app, provider.name, profile);
    // Without PKCE the cookie has shown that this browser started the link.
    return row.wants_auth_code
      ? { ...shared, authCode: await storeLink(app, flowId, linkTo, wanted, { accessToken, refreshToken }) }
      : { ...shared, tokens: await linkIdentity(app, client, wanted, linkTo, null) };
  }
  const outcome = await signInFromProvider(app, client, {
    provider: provider.name,
    isEmailOptional: provider.isEmailOptional,
    profile,
    audience,
    purpose: purposeOf(row),
    flow: row.wants_auth_code ? { id: flowId, accessToken, refreshToken } : null,
    trace,
  });
  return { ...outcome, ...shared };
}

/**
 * @returns null for a sign-in
 * @throws ApiError sessionNotFound: the session that started the link has ended
 */
function readLinkTarget({ linking_target_id: userId, linking_session_id: sessionId }: ReturnedFlow): LinkTarget | null {
  if (userId === null) return null;
  if (sessionId === null) throw apiError('sessionNotFound');
  return { userId, sessionId };
}

function purposeOf(row: ReturnedFlow) {
  if (row.invite_token_hash !== null) return { kind: 'invite', linkHash: row.invite_token_hash } as const;
  return { kind: 'sign_in' } as const;
}

/** @throws ApiError stateInvalid when the secret that sealed it is no longer accepted */
function openProviderState(app: App, flowId: string, sealed: string | null): ProviderState | null {
  if (sealed === null) return null;
  const text = app.keys.flowSealer.open(flowId, sealed);
  if (text === null) throw apiError('stateInvalid');
  return JSON.parse(text) as ProviderState;
}
