/** Messages of identity providers at /sso/saml/slo (SAML Profiles 4.4). */
import { endSsoSessions, takeLogout } from '../../../db/sso-logout.js';
import { findSsoProvider, type SsoProviderRow } from '../../../db/sso-providers.js';
import { isUuid } from '../../../db/uuid.js';
import type { RefusedSaml, SamlLogout, SamlLogoutRequest, SamlQuerySignature } from '../../../workers/saml-wire.js';
import { auditEntry, logAudit, storedAudit, UNKNOWN_ACTOR } from '../../accounts/audit.js';
import { type ApiError, apiError } from '../../errors.js';
import type { App, Client } from '../../runtime/app.js';
import { type SignedForm, signForm } from '../post-binding.js';
import { hashOfUsed, logCodeOf, logRefusedMessage, verifiedBy } from '../received-message.js';
import { signedRedirect } from '../redirect-binding.js';
import { serviceProviderOf } from '../service-provider.js';
import { renderLogoutAnswer } from './messages.js';

export interface ReceivedLogout {
  /** Base64. */
  readonly text: string;
  /** Of a message that came in a query; null: it came as a form, and has a signature of its own. */
  readonly query: { readonly signature: SamlQuerySignature | null } | null;
  readonly relayState: string;
}

/** Where the browser goes, or a form that it sends; null: the provider has no address for answers. */
export type AnswerToProvider = { readonly location: string | null } | { readonly form: SignedForm };

/**
 * A provider ends sessions of a person: they have ended once this returns.
 * @returns the answer to the provider, by the browser
 * @throws ApiError samlIdpNotFound, ssoProviderDisabled, samlLogoutInvalid
 */
export async function consumeLogoutRequest(
  app: App,
  client: Client,
  received: ReceivedLogout,
): Promise<AnswerToProvider> {
  const said = await app.crypto.peekSamlMessage(messageOf(received));
  if (said.refusal !== undefined) throw refused(app, client, said, null);
  const provider = await findSsoProvider(app.db, 'entity_id', said.issuer);
  if (provider === undefined) throw apiError('samlIdpNotFound');
  if (provider.disabled === true) throw apiError('ssoProviderDisabled');
  const request = await verify(app, provider, received);
  if (request.refusal !== undefined) throw refused(app, client, request, provider.id);
  if (request.kind !== 'request') throw apiError('samlLogoutInvalid');
  await end(app, client, provider, request);
  return answer(app, provider, request.id, received.relayState);
}

/**
 * A provider answers our request. Here the session has ended long since, so that the browser goes on whatever it says.
 * @returns the target of the log-out
 */
export async function consumeLogoutAnswer(app: App, client: Client, received: ReceivedLogout): Promise<string> {
  const id = received.relayState.toLowerCase();
  const state = isUuid(id) ? await takeLogout(app.db, id) : undefined;
  if (state === undefined) return app.redirects.choose([]).url;
  const provider = await findSsoProvider(app.db, 'id', state.provider_id);
  const found = provider && (await verify(app, provider, received));
  const isDone = found?.refusal === undefined && found?.kind === 'answer' && found.requestId === state.request_id;
  if (!isDone || !found.isSuccess) {
    const reason = found?.refusal === undefined ? 'the provider did not confirm it' : found.detail;
    const fields = { component: 'sso', request_id: client.requestId, provider: state.provider_id, reason };
    app.log.warn(fields, 'A session ended here, and perhaps not at the identity provider');
  }
  // The pages name their own address. Any other is checked again: URI_ALLOW_LIST may have changed since (SEC-34).
  return state.page_flow_id === null ? app.redirects.choose([state.redirect_to]).url : state.redirect_to;
}

const messageOf = ({ text, query }: ReceivedLogout) => ({ text, isDeflated: query !== null });

async function verify(app: App, provider: SsoProviderRow, received: ReceivedLogout): Promise<SamlLogout | RefusedSaml> {
  const { query } = received;
  if (query?.signature === null) return { refusal: 'signature', detail: 'nothing is signed' };
  const { expected, ...keys } = verifiedBy(app, provider);
  return app.crypto.verifySamlLogout({
    message: messageOf(received),
    signature: query?.signature ?? null,
    ...keys,
    expected: { ...expected, sloUrl: serviceProviderOf(app.config).sloUrl },
  });
}

/** A message that was seen before changes nothing: its person may have signed in again. */
async function end(app: App, client: Client, provider: SsoProviderRow, request: SamlLogoutRequest): Promise<void> {
  const traits = { provider: `sso:${provider.id}`, sso_provider_id: provider.id };
  const users = await endSsoSessions(app.db, {
    providerId: provider.id,
    nameId: request.nameId,
    sessionIndexes: request.sessionIndexes,
    hash: hashOfUsed(provider, request.id),
    endsAt: new Date(request.endsAtMs).toISOString(),
    audit: storedAudit(app, [auditEntry(UNKNOWN_ACTOR, 'logout', traits)]),
  });
  logAudit(
    app,
    client.requestId,
    users.map((user) => auditEntry(user, 'logout', traits)),
  );
}

async function answer(
  app: App,
  { metadata }: SsoProviderRow,
  requestId: string,
  relayState: string,
): Promise<AnswerToProvider> {
  const own = serviceProviderOf(app.config);
  const byRedirect = metadata.slo_redirect_answer_url ?? metadata.slo_redirect_url;
  const byForm = metadata.slo_post_answer_url ?? metadata.slo_post_url;
  const destination = byRedirect ?? byForm;
  // It has no address for answers.
  if (destination === null) return { location: null };
  const message = {
    parameter: 'SAMLResponse',
    xml: renderLogoutAnswer(own, destination, requestId),
    relayState,
  } as const;
  if (byRedirect === null) return { form: await signForm(app, own, destination, message) };
  return { location: await signedRedirect(app, own, destination, message) };
}

/** One short sentence for the browser. */
function refused(app: App, client: Client, found: RefusedSaml, provider: string | null): ApiError {
  const told = { code: logCodeOf(found), reason: found.detail };
  logRefusedMessage(app, client, provider, told, 'A log-out');
  return apiError('samlLogoutInvalid');
}
