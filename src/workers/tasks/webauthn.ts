/** The only owner of @simplewebauthn/server: verifies registrations and assertions (WebAuthn Level 3, 7.1 and 7.2). */
import type {
  AssertionJob,
  ExpectedCeremony,
  RefusedResponse,
  RegistrationJob,
  VerifiedAssertion,
  VerifiedRegistration,
  WebAuthnRefusal,
} from '../webauthn-wire.js';

export interface WebAuthnTasks {
  register(job: RegistrationJob): Promise<VerifiedRegistration | RefusedResponse>;
  assert(job: AssertionJob): Promise<VerifiedAssertion | RefusedResponse>;
}

type Library = typeof import('@simplewebauthn/server');
type Helpers = typeof import('@simplewebauthn/server/helpers');

/** Longest credential id of WebAuthn Level 3, 7.1 step 25, in bytes. */
const MAX_CREDENTIAL_ID_BYTES = 1023;
/** A message of the library may repeat what the client sent. */
const MAX_DETAIL_CHARACTERS = 200;

/** Loads the library, which takes 25 packages; so it is not loaded where it is not used. */
export async function loadWebAuthn(): Promise<WebAuthnTasks> {
  const [library, helpers] = await Promise.all([
    import('@simplewebauthn/server'),
    import('@simplewebauthn/server/helpers'),
  ]);
  // Of this thread: the library would fetch revocation lists from addresses in certificates that the client sends.
  global.fetch = () => Promise.reject(new Error('Verification makes no network calls.'));
  return {
    register: (job) => register(library, helpers, job),
    assert: (job) => assert(library, helpers, job),
  };
}

async function register(
  library: Library,
  { decodeAttestationObject, parseAuthenticatorData }: Helpers,
  job: RegistrationJob,
): Promise<VerifiedRegistration | RefusedResponse> {
  const mismatch = findMismatch(job, job.clientDataJson, 'webauthn.create');
  if (mismatch !== null) return mismatch;
  try {
    parseAuthenticatorData(decodeAttestationObject(decode(job.attestationObject)).get('authData'));
  } catch (error) {
    return refused('unreadable', error);
  }
  try {
    const { verified, registrationInfo } = await library.verifyRegistrationResponse({
      response: {
        ...outer(job),
        response: { clientDataJSON: job.clientDataJson, attestationObject: job.attestationObject },
      },
      ...expected(job),
      supportedAlgorithmIDs: [...job.algorithms],
    });
    if (!verified) return refused('rejected', 'the attestation is false');
    const { credential } = registrationInfo;
    if (credential.id !== job.credentialId) return refused('rejected', 'the id is not the attested one');
    if (decode(credential.id).length > MAX_CREDENTIAL_ID_BYTES) return refused('rejected', 'the id is too long');
    return {
      publicKey: Buffer.from(credential.publicKey).toString('base64url'),
      aaguid: registrationInfo.aaguid,
      attestationFormat: registrationInfo.fmt,
      signCount: credential.counter,
      ...flagsOf(registrationInfo),
    };
  } catch (error) {
    return refused('rejected', error);
  }
}

async function assert(
  library: Library,
  { parseAuthenticatorData }: Helpers,
  job: AssertionJob,
): Promise<VerifiedAssertion | RefusedResponse> {
  const mismatch = findMismatch(job, job.clientDataJson, 'webauthn.get');
  if (mismatch !== null) return mismatch;
  try {
    parseAuthenticatorData(decode(job.authenticatorData));
  } catch (error) {
    return refused('unreadable', error);
  }
  try {
    const { clientDataJson: clientDataJSON, authenticatorData, signature } = job;
    const { verified, authenticationInfo } = await library.verifyAuthenticationResponse({
      response: { ...outer(job), response: { clientDataJSON, authenticatorData, signature } },
      ...expected(job),
      // Counter 0 accepts any: the update of the credential compares it.
      credential: { id: job.credentialId, publicKey: decode(job.publicKey), counter: 0 },
    });
    if (!verified) return refused('rejected', 'the signature is false');
    return { signCount: authenticationInfo.newCounter, ...flagsOf(authenticationInfo) };
  } catch (error) {
    return refused('rejected', error);
  }
}

/** The library compares these, too; here each gets a reason of its own. */
function findMismatch(job: ExpectedCeremony, clientDataJson: string, type: string): RefusedResponse | null {
  let data: { readonly [name: string]: unknown } | null;
  try {
    data = JSON.parse(Buffer.from(clientDataJson, 'base64url').toString('utf8')) as typeof data;
  } catch (error) {
    return refused('unreadable', error);
  }
  if (data === null || typeof data !== 'object') return refused('unreadable', 'clientDataJSON is no object');
  if (data['type'] !== type) return refused('ceremony', `the type is not ${type}`);
  if (data['challenge'] !== job.challenge) return refused('challenge', 'the challenge is another one');
  if (!job.origins.includes(data['origin'] as string)) return refused('origin', `the origin is ${data['origin']}`);
  return null;
}

const decode = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text, 'base64url'));

const outer = ({ credentialId }: { readonly credentialId: string }) =>
  ({ id: credentialId, rawId: credentialId, type: 'public-key', clientExtensionResults: {} }) as const;

const expected = (job: ExpectedCeremony) => ({
  expectedChallenge: job.challenge,
  expectedOrigin: [...job.origins],
  expectedRPID: job.rpId,
  requireUserVerification: job.requireUserVerification,
});

interface LibraryFlags {
  readonly userVerified: boolean;
  readonly credentialDeviceType: 'singleDevice' | 'multiDevice';
  readonly credentialBackedUp: boolean;
}

const flagsOf = (info: LibraryFlags) => ({
  userVerified: info.userVerified,
  backupEligible: info.credentialDeviceType === 'multiDevice',
  backedUp: info.credentialBackedUp,
});

function refused(refusal: WebAuthnRefusal, reason: unknown): RefusedResponse {
  const detail = reason instanceof Error ? reason.message : String(reason);
  return { refusal, detail: detail.slice(0, MAX_DETAIL_CHARACTERS) };
}
