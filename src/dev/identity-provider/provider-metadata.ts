/** What the server knows of the identity provider (SAML Metadata 2.0). */
import { escapeMarkup } from '../../html.js';
import { PROVIDER_ENTITY_ID, providerPaths } from './addresses.js';

const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol';
const REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';

/** @param baseUrl of the server. @param certificate base64 of DER */
export function renderProviderMetadata(baseUrl: string, certificate: string): string {
  const service = (name: string, path: string) =>
    `<md:${name} Binding="${REDIRECT}" Location="${escapeMarkup(baseUrl + path)}"/>`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>\n',
    '<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata"',
    ` entityID="${PROVIDER_ENTITY_ID}">`,
    `<md:IDPSSODescriptor WantAuthnRequestsSigned="true" protocolSupportEnumeration="${PROTOCOL}">`,
    '<md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data>',
    `<ds:X509Certificate>${certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`,
    service('SingleLogoutService', providerPaths.logout),
    service('SingleSignOnService', providerPaths.signIn),
    '</md:IDPSSODescriptor></md:EntityDescriptor>\n',
  ].join('');
}
