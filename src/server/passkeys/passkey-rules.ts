/** Rules that the ceremonies and the list of passkeys share. */
import type { PasskeyRow } from '../../db/passkeys.js';
import { readUuid } from '../../db/uuid.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import {
  type ChallengePurpose,
  type IssuedChallenge,
  isExpired,
  openChallenge,
} from '../webauthn/stateless-challenge.js';
import type { Refused } from '../webauthn/verification.js';

/** What the user may see of a passkey. */
export interface PasskeyView {
  id: string;
  friendly_name: string;
  created_at: string;
  last_used_at?: string;
}

export const viewPasskey = ({ id, friendly_name, created_at, last_used_at }: PasskeyRow): PasskeyView => ({
  id,
  friendly_name,
  created_at,
  ...(last_used_at !== null && { last_used_at }),
});

/** @throws ApiError passkeyDisabled */
export function assertPasskeysOn({ config }: Pick<App, 'config'>): void {
  if (!config.passkeyEnabled) throw apiError('passkeyDisabled');
}

/** The body of both verifications. */
export interface VerifyRequest {
  readonly challengeId: string | undefined;
  readonly credential: unknown;
}

/**
 * Reads the challenge that a response answers. It is not used up yet.
 * @throws ApiError passkeyChallengeRequired, passkeyCredentialRequired, passkeyChallengeNotUuid,
 *   webauthnChallengeNotFound, webauthnChallengeExpired
 */
export function readChallenge(
  { config }: Pick<App, 'config'>,
  purpose: ChallengePurpose,
  { challengeId, credential }: VerifyRequest,
): IssuedChallenge {
  if (!challengeId) throw apiError('passkeyChallengeRequired');
  if (credential === undefined || credential === null) throw apiError('passkeyCredentialRequired');
  const id = readUuid(challengeId);
  if (id === null) throw apiError('passkeyChallengeNotUuid');
  const challenge = openChallenge(config, purpose, id);
  if (challenge === null) throw apiError('webauthnChallengeNotFound');
  if (isExpired(challenge)) throw apiError('webauthnChallengeExpired');
  return challenge;
}

/** Logs why a response is refused, which the client does not learn. @returns the error for the client */
export function refuse({ log }: Pick<App, 'log'>, requestId: string, { refusal, detail }: Refused): Error {
  log.info(
    { component: 'passkeys', request_id: requestId, refusal, reason: detail },
    'A WebAuthn response was refused',
  );
  return apiError(refusal === 'unreadable' ? 'webauthnResponseUnreadable' : 'webauthnResponseFalse');
}
