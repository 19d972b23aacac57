import { MODEL_NAMES } from './model-names.js';

/** AAGUID → name, of the community list github.com/passkeydeveloper/passkey-authenticator-aaguids. */
const names: ReadonlyMap<string, string> = new Map(
  MODEL_NAMES.split('|').map((entry) => entry.trim().split('=') as [string, string]),
);

/** The first name of a passkey, that of its authenticator; its user may change it. @param aaguid lower case */
export const nameOfModel = (aaguid: string): string => names.get(aaguid) ?? 'Passkey';
