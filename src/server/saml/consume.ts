/** The return from an identity provider: POST /sso/saml/acs. */
import { type RelayState, takeRelayState } from '../../db/sso.js';
import { findSsoProvider, type SsoProviderRow } from '../../db/sso-providers.js';
import { isUuid } from '../../db/uuid.js';
import type { RefusedSaml } from '../../workers/saml-wire.js';
import { type ApiError, apiError } from '../errors.js';
import type { App, Client } from '../runtime/app.js';
import { type SsoOutcome, signInWithAssertion } from './account.js';
import { readSamlPerson } from './mapping.js';
import { errorOfRefusal, logCodeOf, logRefusedMessage, responseJob } from './received-message.js';
import { refreshAfterUnknownKey } from './refresh-metadata.js';

/** Where the answer belongs: to a sign-in that began here, or to none. */
interface Start {
  readonly provider: SsoProviderRow;
  readonly requestId: string | null;
  readonly redirectTo: string | null;
  readonly pkce: { readonly challenge: string; readonly method: string } | null;
}

export type ConsumedResponse = SsoOutcome & {
  /** As the sign-in asked for; null: none was asked for. */
  readonly redirectTo: string | null;
};

/** A RelayState that came back. */
export interface ReturnedState {
  readonly text: string;
  /** The sign-in that began here; null: `text` is no id of one, undefined: there is none any more. */
  readonly row: RelayState | null | undefined;
}

/** Call it first of all: one that came back is used up, whatever came with it. @param form SAMLResponse and RelayState */
export async function takeReturnedState({ db }: App, form: ReadonlyMap<string, string>): Promise<ReturnedState> {
  const text = form.get('RelayState') ?? '';
  return { text, row: isUuid(text) ? await takeRelayState(db, text.toLowerCase()) : null };
}

/**
 * @param form SAMLResponse and RelayState
 * @param state its RelayState
 * @param audience of a new account
 * @throws ApiError, which the caller turns into a redirect
 */
export async function consumeResponse(
  app: App,
  client: Client,
  form: ReadonlyMap<string, string>,
  state: ReturnedState,
  audience: string,
): Promise<ConsumedResponse> {
  const response = form.get('SAMLResponse') ?? '';
  const start = state.row === null ? null : await findStart(app, state.row);
  assertResponseGiven(form);
  const { provider, requestId, redirectTo, pkce } =
    start ?? (await findIdpInitiated(app, client, response, state.text));
  if (provider.disabled === true) throw apiError('ssoProviderDisabled');
  const assertion = await app.crypto.verifySamlResponse(responseJob(app, provider, response, requestId));
  if (assertion.refusal !== undefined) {
    if (assertion.refusal === 'signature') refreshAfterUnknownKey(app, provider);
    throw refused(app, client, assertion, provider.id);
  }
  const person = readSamlPerson(assertion, provider.attribute_mapping);
  if (person.shortened.length > 0) {
    const fields = { component: 'sso', request_id: client.requestId, provider: provider.id, claims: person.shortened };
    app.log.warn(fields, 'Of attributes with several values only the first was kept: the mapping does not say array');
  }
  const outcome = await signInWithAssertion(app, client, { provider, assertion, person, audience, pkce });
  if (outcome === null) {
    const replay = { code: 'saml_replayed', reason: 'the assertion was used before' };
    logRefusedMessage(app, client, provider.id, replay, 'An answer');
    throw apiError('samlAssertionInvalid');
  }
  return { ...outcome, redirectTo };
}

/** @param form SAMLResponse and RelayState. @throws ApiError samlArtifactUnsupported, samlResponseMissing */
export function assertResponseGiven(form: ReadonlyMap<string, string>): void {
  if ((form.get('SAMLResponse') ?? '') !== '') return;
  throw apiError(form.has('SAMLart') ? 'samlArtifactUnsupported' : 'samlResponseMissing');
}

/** @throws ApiError samlRelayStateNotFound, samlRelayStateExpired, samlIdpNotFound */
async function findStart(app: App, state: RelayState | undefined): Promise<Start> {
  if (state === undefined || state.is_used) throw apiError('samlRelayStateNotFound');
  const provider = await findProviderOfState(app, state);
  const { code_challenge: challenge, code_challenge_method: method } = state;
  return {
    provider,
    requestId: state.request_id,
    redirectTo: state.redirect_to,
    pkce: challenge === null || method === null ? null : { challenge, method },
  };
}

/** @throws ApiError samlRelayStateExpired, samlIdpNotFound */
export async function findProviderOfState(
  { db }: Pick<App, 'db'>,
  { is_expired: isExpired, provider_id: id }: Pick<RelayState, 'is_expired' | 'provider_id'>,
): Promise<SsoProviderRow> {
  if (isExpired) throw apiError('samlRelayStateExpired');
  const provider = await findSsoProvider(db, 'id', id);
  if (provider === undefined) throw apiError('samlIdpNotFound');
  return provider;
}

/** @throws ApiError samlRelayStateInvalid, samlAssertionUnread, samlIdpNotFound, samlIdpInitiatedDisabled */
async function findIdpInitiated(app: App, client: Client, response: string, relayState: string): Promise<Start> {
  if (relayState !== '' && !URL.canParse(relayState)) throw apiError('samlRelayStateInvalid');
  const said = await app.crypto.peekSamlMessage({ text: response, isDeflated: false });
  if (said.refusal !== undefined) throw refused(app, client, said, null);
  const provider = await findSsoProvider(app.db, 'entity_id', said.issuer);
  if (provider === undefined) throw apiError('samlIdpNotFound');
  const isAllowed = app.config.samlAllowIdpInitiated && provider.options.idp_initiated !== false;
  if (!isAllowed) throw apiError('samlIdpInitiatedDisabled');
  return { provider, requestId: null, redirectTo: relayState === '' ? null : relayState, pkce: null };
}

/** One short sentence for the browser. */
function refused(app: App, client: Client, found: RefusedSaml, provider: string | null): ApiError {
  const told = { code: logCodeOf(found), reason: found.detail };
  logRefusedMessage(app, client, provider, told, 'An answer');
  return errorOfRefusal(found);
}
