/** What messages of identity providers have in common: what they must match, that each counts once, and how one is refused. */
import { createHash } from 'node:crypto';
import type { SsoProviderRow } from '../../db/sso-providers.js';
import type { RefusedSaml, SamlRefusal, SamlResponseJob } from '../../workers/saml-wire.js';
import { type ApiError, apiError } from '../errors.js';
import type { App, Client } from '../runtime/app.js';
import { serviceProviderOf } from './service-provider.js';

/** By what a message of a provider is verified now. */
export function verifiedBy({ config }: Pick<App, 'config'>, { entity_id: issuer, metadata }: SsoProviderRow) {
  const { samlClockSkewSeconds: clockSkewSeconds, samlMaxIssueDelaySeconds: maxIssueDelaySeconds } = config;
  return {
    certificates: metadata.certificates.map(({ der }) => der),
    decryptionKeys: serviceProviderOf(config).decryptionKeys,
    expected: {
      issuer,
      clockSkewSeconds,
      maxIssueDelaySeconds,
      allowsSha1: config.samlAllowSha1,
      nowMs: Date.now(),
    },
  };
}

/**
 * What a response of a provider is verified by.
 * @param response base64
 * @param requestId of our request; null: we sent none
 */
export function responseJob(
  app: Pick<App, 'config'>,
  provider: SsoProviderRow,
  response: string,
  requestId: string | null,
): SamlResponseJob {
  const { entityId, acsUrl } = serviceProviderOf(app.config);
  const { expected, ...keys } = verifiedBy(app, provider);
  return { response, ...keys, expected: { ...expected, audience: entityId, acsUrl, requestId } };
}

/** @param id of an assertion or a request. @returns by what it is remembered that it was used: hex */
export const hashOfUsed = ({ id: providerId }: Pick<SsoProviderRow, 'id'>, id: string): string =>
  createHash('sha256').update(`${providerId} ${id}`).digest('hex');

/** Reasons as the log names them; others begin with saml_. */
const logCodes: Readonly<Partial<Record<SamlRefusal, string>>> = {
  signature: 'saml_signature_invalid',
  algorithm: 'saml_signature_invalid',
  audience: 'saml_audience_mismatch',
};

export const logCodeOf = ({ refusal }: RefusedSaml): string => logCodes[refusal] ?? `saml_${refusal}`;

/** What the browser gets for a response. */
export const errorOfRefusal = ({ refusal }: Pick<RefusedSaml, 'refusal'>): ApiError =>
  apiError(refusal === 'unreadable' ? 'samlAssertionUnread' : 'samlAssertionInvalid');

/**
 * The log has the reason; the browser gets one short sentence.
 * @param provider id; null: not known
 * @param what begins the sentence
 */
export function logRefusedMessage(
  app: Pick<App, 'log'>,
  client: Pick<Client, 'requestId'>,
  provider: string | null,
  { code, reason }: { readonly code: string; readonly reason: string },
  what: 'An answer' | 'A log-out',
): void {
  const fields = { component: 'sso', request_id: client.requestId, provider, error_code: code, reason };
  app.log.info(fields, `${what} of an identity provider was refused`);
}
