/** Our requests for sign-in (SAML Core 3.4). */
import { randomBytes } from 'node:crypto';
import type { SsoProviderRow } from '../../db/sso-providers.js';
import { escapeMarkup } from '../../html.js';
import { nameIdFormats, nameIdFormatUri } from './name-id-formats.js';
import type { ServiceProvider } from './service-provider.js';

/** An id of a message of ours. It cannot be guessed, as answers name it. */
export const makeSamlId = (): string => `id-${randomBytes(20).toString('hex')}`;

type Target = Pick<SsoProviderRow, 'metadata' | 'name_id_format' | 'options'>;

/** @returns the request in XML */
export function renderAuthnRequest(
  own: Pick<ServiceProvider, 'acsUrl' | 'entityId'>,
  { metadata, name_id_format, options }: Target,
  request: { readonly id: string; readonly nowMs: number },
): string {
  const format = nameIdFormatUri(name_id_format ?? 'persistent') ?? nameIdFormats.persistent;
  const context = options.authn_context;
  return [
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
}
