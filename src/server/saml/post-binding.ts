/** Messages in a form that the browser sends (SAML Bindings 3.5, HTTP-POST). */
import type { App } from '../runtime/app.js';
import type { OutgoingMessage, SamlParameter } from './redirect-binding.js';
import type { ServiceProvider } from './service-provider.js';

export interface SignedForm {
  /** Of the identity provider. */
  readonly address: string;
  readonly fields: Readonly<Partial<Record<SamlParameter | 'RelayState', string>>>;
}

/** @param address of the identity provider */
export async function signForm(
  { crypto }: Pick<App, 'crypto'>,
  { keyPem }: Pick<ServiceProvider, 'keyPem'>,
  address: string,
  { parameter, xml, relayState }: OutgoingMessage,
): Promise<SignedForm> {
  const signed = await crypto.signSaml({ text: xml, isXml: true, key: keyPem });
  const message = Buffer.from(signed).toString('base64');
  return { address, fields: { [parameter]: message, ...(relayState !== '' && { RelayState: relayState }) } };
}
