import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import type { EnrolmentRequest, PreparedFactor } from './contract.js';
import type { FactorCaller } from './own-factor.js';
import { drawQrCode, MAX_QR_BYTES } from './qr.js';
import { accountNameOf, buildTotpUri, createTotpSecret, defaultIssuer } from './totp.js';

/** The secret leaves the server here, and never again. @throws ApiError issuerTooLong */
export function enrolTotp(
  app: Pick<App, 'config' | 'factorSecrets'>,
  { user }: FactorCaller,
  id: string,
  { issuer }: EnrolmentRequest,
): PreparedFactor {
  const secret = createTotpSecret();
  const uri = buildTotpUri({
    issuer: issuer || defaultIssuer(app.config.siteUrl),
    account: accountNameOf(user),
    secret,
  });
  if (uri.length > MAX_QR_BYTES) throw apiError('issuerTooLong');
  return {
    stored: { id, kind: 'totp', secret: app.factorSecrets.seal(id, secret) },
    answer: { totp: { qr_code: drawQrCode(uri), secret, uri } },
  };
}
