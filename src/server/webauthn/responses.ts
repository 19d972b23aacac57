/** Reads what browsers answer (RegistrationResponseJSON, AuthenticationResponseJSON), which may contain anything. */

/** All binary members are base64url without padding. */
export interface RegistrationResponse {
  readonly credentialId: string;
  readonly clientDataJson: string;
  readonly attestationObject: string;
  readonly transports: readonly string[];
}

export interface AssertionResponse {
  readonly credentialId: string;
  readonly clientDataJson: string;
  readonly authenticatorData: string;
  readonly signature: string;
  /** Text of the user handle; null: the authenticator gave none (WebAuthn Level 3, 5.2.2), or middleware left it empty. */
  readonly userHandle: string | null;
}

const MAX_TRANSPORTS = 8;
const TRANSPORT = /^[a-z-]{1,32}$/;

/** @returns null when a member is missing or malformed */
export function readRegistration(credential: unknown): RegistrationResponse | null {
  const read = readOuter(credential);
  if (read === null) return null;
  const clientDataJson = binary(read.response['clientDataJSON']);
  const attestationObject = binary(read.response['attestationObject']);
  if (clientDataJson === null || attestationObject === null) return null;
  const { transports } = read.response;
  const known = Array.isArray(transports) ? transports.filter((name) => TRANSPORT.test(String(name))) : [];
  return {
    credentialId: read.credentialId,
    clientDataJson,
    attestationObject,
    transports: [...new Set(known.map(String))].slice(0, MAX_TRANSPORTS),
  };
}

/** @returns null when a member is missing or malformed */
export function readAssertion(credential: unknown): AssertionResponse | null {
  const read = readOuter(credential);
  if (read === null) return null;
  const clientDataJson = binary(read.response['clientDataJSON']);
  const authenticatorData = binary(read.response['authenticatorData']);
  const signature = binary(read.response['signature']);
  if (clientDataJson === null || authenticatorData === null || signature === null) return null;
  const { userHandle: handle } = read.response;
  if (handle !== undefined && handle !== null && typeof handle !== 'string') return null;
  const userHandle = handle ? Buffer.from(handle, 'base64url').toString('latin1') : null;
  return { credentialId: read.credentialId, clientDataJson, authenticatorData, signature, userHandle };
}

/**
 * Whether a response names another account than the one whose credential it used. Without a user handle the credential
 * names the account (WebAuthn Level 3, 7.2 step 6).
 * @param ownerId id of the account, in lower case
 */
export const namesAnotherOwner = ({ userHandle }: AssertionResponse, ownerId: string): boolean =>
  userHandle !== null && userHandle.toLowerCase() !== ownerId;

function readOuter(credential: unknown): { credentialId: string; response: Record<string, unknown> } | null {
  if (!isObject(credential)) return null;
  const { id, rawId, type, response } = credential;
  const credentialId = binary(id);
  if (credentialId === null || binary(rawId) !== credentialId || type !== 'public-key') return null;
  return isObject(response) ? { credentialId, response } : null;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Some clients pad base64url. */
function binary(value: unknown): string | null {
  if (typeof value !== 'string' || !/^[\w-]+={0,2}$/.test(value)) return null;
  return Buffer.from(value, 'base64url').toString('base64url');
}
