/** Checks of the settings of WebAuthn. They count only while a feature is on that needs them. */
import type { Fault } from './faults.js';
import { coseAlgorithms, isRpId, readOrigin } from './relying-party.js';
import type { Config } from './settings.js';

type Found = { keys: string[]; fault: Fault };

/** Settings that need a relying party. */
const SWITCHES = [
  'passkeyEnabled',
  'mfaWebAuthnEnrollEnabled',
  'mfaWebAuthnVerifyEnabled',
] as const satisfies readonly (keyof Config)[];

const AAGUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** @param nameOf the environment name of a key */
export function findWebAuthnFaults(config: Config, nameOf: (key: string) => string): Found[] {
  const needing = SWITCHES.filter((key) => config[key]);
  if (needing.length === 0) return [];
  const reason = `${nameOf(needing[0]!)} is on`;
  const found: Found[] = [];
  const add = (key: keyof Config, problem: string, example: string) =>
    found.push({ keys: [...needing, key], fault: { variable: nameOf(key), problem, example } });

  const { webauthnRpId: rpId, webauthnRpOrigins: origins } = config;
  if (rpId === '') add('webauthnRpId', `is missing, and ${reason}`, 'example.com');
  else if (!isRpId(rpId)) {
    add(
      'webauthnRpId',
      'must be a domain in lower case, without scheme and port: no address, no top-level domain',
      'example.com',
    );
  }
  if (config.webauthnRpDisplayName.trim() === '') {
    add('webauthnRpDisplayName', `is missing, and ${reason}`, 'Example');
  }
  if (origins.length === 0) add('webauthnRpOrigins', `is missing, and ${reason}`, 'https://example.com');
  // Values are not repeated: after a mistake one may be that of another setting (SEC-74).
  const wrongOrigin = origins.findIndex((origin) => readOrigin(origin) === null) + 1;
  if (wrongOrigin > 0) {
    const problem = `has no origin at position ${wrongOrigin}: https:// and a host, http:// for localhost only, or the origin of an app`;
    add('webauthnRpOrigins', problem, 'https://example.com');
  }
  const wrongAaguid = config.webauthnAllowedAaguids.findIndex((aaguid) => !AAGUID.test(aaguid)) + 1;
  if (wrongAaguid > 0) {
    const problem = `has no AAGUID at position ${wrongAaguid}`;
    add('webauthnAllowedAaguids', problem, 'ee882879-721c-4913-9775-3dfcce97072a');
  }
  if (config.webauthnAllowedAaguids.length > 0 && !['direct', 'enterprise'].includes(config.webauthnAttestation)) {
    const problem = `must be direct or enterprise with ${nameOf('webauthnAllowedAaguids')}: browsers hide the model otherwise`;
    add('webauthnAttestation', problem, 'direct');
  }
  const algorithms = config.webauthnRegistrationAlgorithms;
  const unknown = algorithms.findIndex((name) => !Object.hasOwn(coseAlgorithms, name)) + 1;
  if (algorithms.length === 0 || unknown > 0) {
    const problem = unknown > 0 ? `has an unknown algorithm at position ${unknown}` : 'needs at least one algorithm';
    add('webauthnRegistrationAlgorithms', problem, 'ES256,EdDSA,RS256');
  }
  return found;
}
