/** Messages in the query of an address to which the browser is sent (SAML Bindings 3.4, HTTP-Redirect). */
import { deflateRawSync } from 'node:zlib';
import type { SamlQuerySignature } from '../../workers/saml-wire.js';
import type { App } from '../runtime/app.js';
import type { ServiceProvider } from './service-provider.js';

const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';

export type SamlParameter = 'SAMLRequest' | 'SAMLResponse';

export interface OutgoingMessage {
  readonly parameter: SamlParameter;
  readonly xml: string;
  /** Empty: none. */
  readonly relayState: string;
}

/**
 * The signature is over exactly these parameters, whatever the address has besides (SAML Bindings 3.4.4.1).
 * @param address of the identity provider
 * @returns where to send the browser
 */
export async function signedRedirect(
  { crypto }: Pick<App, 'crypto'>,
  { keyPem }: Pick<ServiceProvider, 'keyPem'>,
  address: string,
  { parameter, xml, relayState }: OutgoingMessage,
): Promise<string> {
  const parameters = [
    [parameter, deflateRawSync(xml).toString('base64')],
    ...(relayState === '' ? [] : [['RelayState', relayState]]),
    ['SigAlg', RSA_SHA256],
  ];
  const signed = parameters.map(([key, value]) => `${key}=${encodeURIComponent(value!)}`).join('&');
  const signature = await crypto.signSaml({ text: signed, isXml: false, key: keyPem });
  const [base = '', fragment] = address.split('#', 2);
  const joined = base.includes('?') ? (/[?&]$/.test(base) ? '' : '&') : '?';
  const query = `${signed}&Signature=${encodeURIComponent(signature)}`;
  return `${base}${joined}${query}${fragment === undefined ? '' : `#${fragment}`}`;
}

/**
 * What a message in a query is signed with: over the values as the sender has spelled them. Names are read as the query is read
 * elsewhere, and none occurs twice: else another message than the signed one could be taken.
 * @returns null: it has no signature
 */
export function readQuerySignature(rawQuery: string, parameter: SamlParameter): SamlQuerySignature | null {
  const spelled = new Map(
    rawQuery.split('&').map((pair) => {
      const at = pair.indexOf('=');
      return at === -1 ? [decode(pair), ''] : [decode(pair.slice(0, at)), pair.slice(at + 1)];
    }),
  );
  const [algorithm, value] = [spelled.get('SigAlg'), spelled.get('Signature')];
  if (algorithm === undefined || value === undefined) return null;
  const names = [parameter, ...(spelled.has('RelayState') ? ['RelayState'] : []), 'SigAlg'];
  const signed = names.map((name) => `${name}=${spelled.get(name) ?? ''}`).join('&');
  return { signed, algorithm: decode(algorithm), value: decode(value) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return '';
  }
}
