/** Our requests for sign-in (SAML Core 3.4), sent by the binding HTTP-Redirect (SAML Bindings 3.4). */
import { randomBytes, sign } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import type { SsoProviderRow } from '../../db/sso-providers.js';
import { escapeMarkup } from '../../html.js';
import { nameIdFormats, nameIdFormatUri } from './name-id-formats.js';
import type { ServiceProvider } from './service-provider.js';

const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';

/** An id that cannot be guessed, as answers name it. */
export const makeAuthnRequestId = (): string => `id-${randomBytes(20).toString('hex')}`;

type Target = Pick<SsoProviderRow, 'metadata' | 'name_id_format' | 'options'>;

/** @returns the address at the identity provider to send the browser to */
export function authnRequestUrl(
  own: ServiceProvider,
  { metadata, name_id_format, options }: Target,
  request: { readonly id: string; readonly relayState: string; readonly nowMs: number },
): string {
  const format = nameIdFormatUri(name_id_format ?? 'persistent') ?? nameIdFormats.persistent;
  const context = options.authn_context;
  const xml = [
    '<samlp:AuthnRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol"',
    ' xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"',
    ` ID="${request.id}" Version="2.0" IssueInstant="${new Date(request.nowMs).toISOString()}"`,
    ` Destination="${escapeMarkup(metadata.sso_url)}"${options.force_authn ? ' ForceAuthn="true"' : ''}`,
    ` AssertionConsumerServiceURL="${escapeMarkup(own.acsUrl)}"`,
    ' ProtocolBinding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST">',
    `<saml:Issuer>${escapeMarkup(own.entityId)}</saml:Issuer>`,
    `<samlp:NameIDPolicy Format="${format}" AllowCreate="true"/>`,
    context === undefined
      ? ''
      : `<samlp:RequestedAuthnContext Comparison="exact"><saml:AuthnContextClassRef>${escapeMarkup(context)}</saml:AuthnContextClassRef></samlp:RequestedAuthnContext>`,
    '</samlp:AuthnRequest>',
  ].join('');
  return signedRedirect(own, metadata.sso_url, 'SAMLRequest', xml, request.relayState);
}

/** The signature is over exactly these parameters, whatever the address has besides (SAML Bindings 3.4.4.1). */
function signedRedirect(
  { key }: Pick<ServiceProvider, 'key'>,
  address: string,
  name: 'SAMLRequest',
  xml: string,
  relayState: string,
): string {
  const parameters = [
    [name, deflateRawSync(xml).toString('base64')],
    ['RelayState', relayState],
    ['SigAlg', RSA_SHA256],
  ];
  const signed = parameters.map(([key, value]) => `${key}=${encodeURIComponent(value!)}`).join('&');
  const signature = sign('sha256', Buffer.from(signed), key).toString('base64');
  const [base = '', fragment] = address.split('#', 2);
  const joined = base.includes('?') ? (/[?&]$/.test(base) ? '' : '&') : '?';
  const query = `${signed}&Signature=${encodeURIComponent(signature)}`;
  return `${base}${joined}${query}${fragment === undefined ? '' : `#${fragment}`}`;
}
