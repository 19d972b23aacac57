/** Our messages of single log-out (SAML Core 3.7). */
import type { EndedSsoSession } from '../../../db/log-outs.js';
import { escapeMarkup } from '../../../html.js';
import { makeSamlId } from '../authn-request.js';
import type { ServiceProvider } from '../service-provider.js';

interface Envelope {
  readonly id: string;
  /** Address at the identity provider. */
  readonly destination: string;
  readonly nowMs: number;
}

/** @returns XML: the session has ended here, and is to end there */
export function renderLogoutRequest(
  own: Pick<ServiceProvider, 'entityId'>,
  envelope: Envelope,
  { session_index: index, name_id: name, name_id_format: format }: EndedSsoSession['saml'],
): string {
  const formatted = format ? ` Format="${escapeMarkup(format)}"` : '';
  return render('LogoutRequest', own, envelope, '', [
    `<saml:NameID${formatted}>${escapeMarkup(name ?? '')}</saml:NameID>`,
    index === null ? '' : `<samlp:SessionIndex>${escapeMarkup(index)}</samlp:SessionIndex>`,
  ]);
}

/** @returns XML: what was asked for is done. @param requestId of the request */
export function renderLogoutAnswer(
  own: Pick<ServiceProvider, 'entityId'>,
  destination: string,
  requestId: string,
): string {
  const envelope = { id: makeSamlId(), destination, nowMs: Date.now() };
  return render('LogoutResponse', own, envelope, ` InResponseTo="${escapeMarkup(requestId)}"`, [
    '<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>',
  ]);
}

function render(
  name: string,
  { entityId }: Pick<ServiceProvider, 'entityId'>,
  { id, destination, nowMs }: Envelope,
  attributes: string,
  contents: readonly string[],
): string {
  return [
    `<samlp:${name} xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol"`,
    ' xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"',
    ` ID="${id}" Version="2.0" IssueInstant="${new Date(nowMs).toISOString()}"`,
    ` Destination="${escapeMarkup(destination)}"${attributes}>`,
    `<saml:Issuer>${escapeMarkup(entityId)}</saml:Issuer>`,
    ...contents,
    `</samlp:${name}>`,
  ].join('');
}
