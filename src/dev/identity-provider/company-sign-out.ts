/** Single log-out (SAML Profiles 4.4), from both sides. */
import type { ApiRequest } from '../../server/http/types.js';
import type { App } from '../../server/runtime/app.js';
import { makeSamlId } from '../../server/saml/authn-request.js';
import { renderLogoutAnswer, renderLogoutRequest } from '../../server/saml/logout/messages.js';
import { nameIdFormats } from '../../server/saml/name-id-formats.js';
import { readQuerySignature, signedRedirect } from '../../server/saml/redirect-binding.js';
import { serviceProviderOf } from '../../server/saml/service-provider.js';
import type { SamlLogout } from '../../workers/saml-wire.js';
import { PROVIDER_ENTITY_ID, providerPaths } from './addresses.js';
import type { IdentityProvider } from './company-sign-in.js';
import type { CompanyPerson } from './people.js';
import { inflateMessage } from './received-request.js';

const CLOCK = { clockSkewSeconds: 180, maxIssueDelaySeconds: 90, allowsSha1: false };

/** Ends the sessions that a person has at the server. @returns where to send the browser */
export function beginSignOut(provider: IdentityProvider, app: App, person: CompanyPerson): Promise<string> {
  const { sloUrl } = serviceProviderOf(app.config);
  const envelope = { id: makeSamlId(), destination: sloUrl, nowMs: Date.now() };
  const subject = { session_index: null, name_id: person.subject, name_id_format: nameIdFormats.persistent };
  const xml = renderLogoutRequest({ entityId: PROVIDER_ENTITY_ID }, envelope, subject);
  return send(provider, app, 'SAMLRequest', xml, '');
}

/**
 * A message of the server: a request, which is answered, or its answer to ours.
 * @returns where to send the browser; null: it is refused, and the trace says why
 */
export async function receiveLogout(provider: IdentityProvider, app: App, request: ApiRequest): Promise<string | null> {
  const parameter = request.query.has('SAMLRequest') ? 'SAMLRequest' : 'SAMLResponse';
  const [text = '', relayState = ''] = [request.query.get(parameter), request.query.get('RelayState')];
  const found = await verifyLogout(provider, app, text, readQuerySignature(request.rawQuery, parameter));
  const note = found.refusal === undefined ? 'Signed by this server.' : `Refused: ${found.detail}.`;
  provider.trace.add({ isReceived: true, binding: 'HTTP-Redirect', note, relayState, xml: inflateMessage(text) });
  if (found.refusal !== undefined) return null;
  if (found.kind === 'answer') return provider.baseUrl + providerPaths.home;
  const { sloUrl } = serviceProviderOf(app.config);
  const answer = renderLogoutAnswer({ entityId: PROVIDER_ENTITY_ID }, sloUrl, found.id);
  return send(provider, app, 'SAMLResponse', answer, relayState);
}

async function verifyLogout(
  { baseUrl }: IdentityProvider,
  app: App,
  text: string,
  signature: ReturnType<typeof readQuerySignature>,
): Promise<SamlLogout | { readonly refusal: string; readonly detail: string }> {
  if (signature === null) return { refusal: 'signature', detail: 'nothing is signed' };
  const { entityId: issuer, certificates } = serviceProviderOf(app.config);
  const expected = { ...CLOCK, issuer, sloUrl: baseUrl + providerPaths.logout, nowMs: Date.now() };
  const message = { text, isDeflated: true };
  return app.crypto.verifySamlLogout({ message, signature, certificates, decryptionKeys: [], expected });
}

async function send(
  { key, trace }: IdentityProvider,
  app: App,
  parameter: 'SAMLRequest' | 'SAMLResponse',
  xml: string,
  relayState: string,
): Promise<string> {
  trace.add({ isReceived: false, binding: 'HTTP-Redirect', note: 'Signed beside the message.', relayState, xml });
  const { sloUrl } = serviceProviderOf(app.config);
  return signedRedirect(app, { keyPem: (await key).pem }, sloUrl, { parameter, xml, relayState });
}
