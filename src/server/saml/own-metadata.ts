/** Our metadata (SAML Metadata 2.0), which administrators give to their identity provider. */
import { escapeMarkup } from '../../html.js';
import type { App } from '../runtime/app.js';
import { nameIdFormats } from './name-id-formats.js';
import { serviceProviderOf } from './service-provider.js';

const DAY_MS = 86_400_000;
const VALID_DAYS = 2;
/** A file that is uploaded once, and forgotten. */
const DOWNLOADED_VALID_DAYS = 5 * 365;
const FORMATS = [nameIdFormats.emailAddress, nameIdFormats.persistent];

/** @param isDownload true: a file that is kept */
export function renderOwnMetadata({ config }: Pick<App, 'config'>, isDownload: boolean, nowMs: number): string {
  const { entityId, acsUrl, sloUrl, certificates } = serviceProviderOf(config);
  const validUntil = new Date(nowMs + (isDownload ? DOWNLOADED_VALID_DAYS : VALID_DAYS) * DAY_MS);
  const uses = config.samlAllowEncryptedAssertions ? ['signing', 'encryption'] : ['signing'];
  const keys = uses.flatMap((use) => certificates.map((certificate) => renderKey(use, certificate)));
  return [
    '<?xml version="1.0" encoding="UTF-8"?>\n',
    '<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata"',
    ` validUntil="${validUntil.toISOString()}"${certificates.length > 1 ? ' cacheDuration="PT1H"' : ''}`,
    ` entityID="${escapeMarkup(entityId)}">`,
    '<md:SPSSODescriptor AuthnRequestsSigned="true" WantAssertionsSigned="true"',
    ' protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">',
    ...keys,
    ...['HTTP-Redirect', 'HTTP-POST'].map(
      (binding) =>
        `<md:SingleLogoutService Binding="urn:oasis:names:tc:SAML:2.0:bindings:${binding}" Location="${escapeMarkup(sloUrl)}"/>`,
    ),
    ...FORMATS.map((format) => `<md:NameIDFormat>${format}</md:NameIDFormat>`),
    '<md:AssertionConsumerService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST"',
    ` Location="${escapeMarkup(acsUrl)}" index="1" isDefault="true"/>`,
    '</md:SPSSODescriptor></md:EntityDescriptor>\n',
  ].join('');
}

const renderKey = (use: string, certificate: string): string =>
  `<md:KeyDescriptor use="${use}"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data>` +
  `<ds:X509Certificate>${certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`;
