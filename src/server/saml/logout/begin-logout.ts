/** A session that began at an identity provider has ended here: it is to end there, too. */
import { randomUUID } from 'node:crypto';
import type { EndedSsoSession } from '../../../db/log-outs.js';
import { insertLogout, type NewLogout, readLogout } from '../../../db/sso-logout.js';
import { findSsoProvider } from '../../../db/sso-providers.js';
import { isUuid } from '../../../db/uuid.js';
import { apiError } from '../../errors.js';
import type { App } from '../../runtime/app.js';
import { makeSamlId } from '../authn-request.js';
import { type SignedForm, signForm } from '../post-binding.js';
import { signedRedirect } from '../redirect-binding.js';
import { serviceProviderOf } from '../service-provider.js';
import { renderLogoutRequest } from './messages.js';

/** Where the browser comes back to. */
export type LogoutEnd = Pick<NewLogout, 'redirectTo' | 'pageFlowId'>;

/**
 * @param end an allowed target; or one of the hosted pages, with their flow
 * @returns the address to send the browser to; null: the provider has no log-out, or is gone
 */
export async function beginSsoLogout(app: App, ended: EndedSsoSession, end: LogoutEnd): Promise<string | null> {
  const provider = await findSsoProvider(app.db, 'id', ended.provider_id);
  if (provider === undefined || provider.disabled === true || ended.saml.name_id === null) return null;
  const destination = provider.metadata.slo_redirect_url ?? provider.metadata.slo_post_url;
  if (destination === null) return null;
  const own = serviceProviderOf(app.config);
  const envelope = { id: makeSamlId(), destination, nowMs: Date.now() };
  const xml = renderLogoutRequest(own, envelope, ended.saml);
  const relayState = randomUUID();
  const state = { id: relayState, providerId: provider.id, requestId: envelope.id, ...end, request: xml };
  await insertLogout(app.db, state, app.config.samlRelayStateValidityPeriodSeconds);
  app.housekeeping.recordFlow();
  // A form is sent by a page, which an address of ours answers.
  if (provider.metadata.slo_redirect_url === null) return `${own.sloUrl}?continue=${relayState}`;
  return signedRedirect(app, own, destination, { parameter: 'SAMLRequest', xml, relayState });
}

/**
 * Such a request as a form.
 * @param id of the log-out
 * @throws ApiError samlRelayStateNotFound, samlRelayStateExpired
 */
export async function continueSsoLogout(app: App, id: string): Promise<SignedForm> {
  const state = isUuid(id) ? await readLogout(app.db, id.toLowerCase()) : undefined;
  const provider = state && (await findSsoProvider(app.db, 'id', state.provider_id));
  const address = provider === undefined || provider.disabled === true ? null : provider.metadata.slo_post_url;
  if (state === undefined || address === null) throw apiError('samlRelayStateNotFound');
  if (state.is_expired) throw apiError('samlRelayStateExpired');
  const message = { parameter: 'SAMLRequest', xml: state.logout_request, relayState: id } as const;
  return signForm(app, serviceProviderOf(app.config), address, message);
}
