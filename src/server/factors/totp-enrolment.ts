import type { App } from '../app.js';
import type { EnrolmentRequest, PreparedFactor } from './contract.js';
import type { FactorCaller } from './own-factor.js';
import { drawQrCode } from './qr.js';
import { accountNameOf, buildTotpUri, createTotpSecret, defaultIssuer } from './totp.js';

/** The secret leaves the server here, and never again. */
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
  return {
    stored: { id, kind: 'totp', secret: app.factorSecrets.seal(id, secret) },
    answer: { totp: { qr_code: drawQrCode(uri), secret, uri } },
  };
}
