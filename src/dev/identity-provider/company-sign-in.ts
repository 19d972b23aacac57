/** Answers to sign-ins, as the identity provider sends them by the browser (SAML Profiles 4.1). */
import type { App } from '../../server/runtime/app.js';
import { serviceProviderOf } from '../../server/saml/service-provider.js';
import type { AdminCall } from './admin-call.js';
import { type ResponseFault, responseFaults } from './faults.js';
import type { MessageTrace } from './message-trace.js';
import type { CompanyPerson } from './people.js';
import { makeUnknownKey, type ProviderKey } from './provider-key.js';
import { type ReceivedRequest, readAuthnRequest } from './received-request.js';
import { writeResponse } from './response.js';

/** The identity provider of `latchkey dev`: its key, and what it has received and sent. */
export interface IdentityProvider {
  /** Made in the background, at the first start. */
  readonly key: Promise<ProviderKey>;
  readonly trace: MessageTrace;
  /** Addresses of its own begin with it. */
  readonly baseUrl: string;
  /** Null: the server has no tables yet. */
  admin: AdminCall | null;
}

export interface AnswerForm {
  /** Of the server. */
  readonly address: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly xml: string;
  readonly fault: ResponseFault | null;
}

/** Reads a request for sign-in, and keeps it for the developer. @param rawQuery as it was sent */
export function receiveRequest({ trace }: IdentityProvider, app: App, rawQuery: string): ReceivedRequest {
  const request = readAuthnRequest(rawQuery, serviceProviderOf(app.config).keyPem);
  const note = request.isGenuine ? 'Signed by this server.' : 'No request that this server has signed.';
  trace.add({
    ...{ isReceived: true, binding: 'HTTP-Redirect', note },
    ...{ relayState: request.relayState, xml: request.xml },
  });
  return request;
}

/**
 * @param request null: the sign-in begins at the provider
 * @param relayState of the request, or a URL to lead to
 */
export async function answerSignIn(
  provider: IdentityProvider,
  app: App,
  person: CompanyPerson,
  request: Pick<ReceivedRequest, 'id' | 'nameIdFormat'> | null,
  relayState: string,
  fault: ResponseFault | null,
): Promise<AnswerForm> {
  const { entityId: audience, acsUrl } = serviceProviderOf(app.config);
  const { pem } = fault === 'other-key' ? await makeUnknownKey() : await provider.key;
  const content = { person, audience, acsUrl, requestId: request?.id ?? null, fault };
  const xml = await writeResponse({ ...content, nameIdFormat: request?.nameIdFormat ?? null }, (text) =>
    app.crypto.signSaml({ text, isXml: true, key: pem }),
  );
  const note = fault === null ? 'Its assertion is signed.' : `With a fault: ${responseFaults[fault].label}.`;
  provider.trace.add({ isReceived: false, binding: 'HTTP-POST', note, relayState, xml });
  const fields = {
    SAMLResponse: Buffer.from(xml).toString('base64'),
    ...(relayState !== '' && { RelayState: relayState }),
  };
  return { address: acsUrl, fields, xml, fault };
}
