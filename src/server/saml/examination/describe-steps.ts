/** What the steps of a test of a sign-in at a company say (docs/decisions.md, Traces of providers). */
import type { SsoProviderRow } from '../../../db/sso-providers.js';
import type { ExpectedResponse, SamlCheck, SamlCheckName } from '../../../workers/saml-wire.js';
import { nameIdFormats, nameIdFormatUri } from '../name-id-formats.js';
import type { ServiceProvider } from '../service-provider.js';

type Detail = Readonly<Record<string, unknown>>;

/** @param url that the browser is sent to */
export function describeAuthnRequest(
  { name_id_format, options, disabled }: Pick<SsoProviderRow, 'name_id_format' | 'options' | 'disabled'>,
  { acsUrl, entityId }: Pick<ServiceProvider, 'acsUrl' | 'entityId'>,
  url: string,
): Detail {
  const { origin, pathname } = new URL(url);
  return {
    sent_to: `${origin}${pathname}`,
    issuer: entityId,
    reply_address: acsUrl,
    name_id_format: nameIdFormatUri(name_id_format ?? 'persistent') ?? nameIdFormats.persistent,
    force_authn: options.force_authn ?? null,
    authn_context: options.authn_context ?? null,
    is_disabled: disabled === true ? true : null,
  };
}

/** A check with what was expected, where that can be said. */
export type DescribedCheck = SamlCheck & { readonly expected: string | null };

export function describeCheck(check: SamlCheck, expected: ExpectedResponse): DescribedCheck {
  const wanted: Readonly<Partial<Record<SamlCheckName, string | null>>> = {
    issuer: expected.issuer,
    destination: expected.acsUrl,
    recipient: expected.acsUrl,
    audience: expected.audience,
    response_to: expected.requestId,
    expired: `now ${new Date(expected.nowMs).toISOString()}, give or take ${expected.clockSkewSeconds} s`,
  };
  return { ...check, expected: wanted[check.check] ?? null };
}
