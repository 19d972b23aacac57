import { randomBytes } from 'node:crypto';
import { readFactors } from '../../db/factors.js';
import type { App } from '../runtime/app.js';
import {
  type CredentialDescriptor,
  creationOptions,
  credentialUser,
  requestOptions,
} from '../webauthn/ceremony-options.js';
import { relyingPartyOf } from '../webauthn/relying-party.js';
import type { ChallengeParts } from './contract.js';
import type { FactorCaller, OwnFactor } from './own-factor.js';
import { readCredential } from './webauthn-credential.js';

const CHALLENGE_BYTES = 32;

/**
 * Options for the browser (WebAuthn Level 3, 5.4 and 5.5): to create a credential for a factor that has none, else to use
 * this factor's. What clients have better defaults for is left out.
 */
export async function challengeWebauthn(
  app: Pick<App, 'config' | 'db'>,
  { user }: FactorCaller,
  factor: OwnFactor,
): Promise<ChallengeParts> {
  const { config } = app;
  const party = relyingPartyOf(config);
  const challenge = randomBytes(CHALLENGE_BYTES).toString('base64url');
  const factors = await readFactors(app.db, user.id);
  const described = factors.flatMap(({ id, credential: stored }) => {
    const credential = readCredential(stored);
    return credential === null ? [] : [{ factorId: id, credential }];
  });
  const verification = config.webauthnUserVerification;
  const userVerification = verification === 'preferred' ? {} : { userVerification: verification };
  if (factor.status === 'unverified') {
    const owner = credentialUser(user);
    const publicKey = creationOptions(party, {
      challenge,
      user: { ...owner, displayName: owner.name },
      exclude: described.map(({ credential }) => describe(credential.id, ['usb', 'nfc'])),
      selection: userVerification,
      ...(config.webauthnAttestation !== 'none' && { attestation: config.webauthnAttestation }),
    });
    return { challenge, answer: { webauthn: { type: 'create', credential_options: { publicKey } } } };
  }
  const own = described.filter(({ factorId }) => factorId === factor.id);
  const publicKey = requestOptions(party, {
    challenge,
    allow: own.map(({ credential }) => describe(credential.id, credential.transports)),
    ...userVerification,
  });
  return { challenge, answer: { webauthn: { type: 'request', credential_options: { publicKey } } } };
}

const describe = (id: string, transports: readonly string[]): CredentialDescriptor => ({
  type: 'public-key',
  id,
  ...(transports.length > 0 && { transports }),
});
