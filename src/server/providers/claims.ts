/** Reads profiles, which may contain anything, and builds the claims that are stored. */
import { parseKeepingNumbers } from '../../exact-numbers.js';
import type { IdTokenClaims } from './contract.js';

/** An invalid response of a provider. Its message is for the log only. */
export class ProviderFault extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ProviderFault';
  }
}

/** The profile contains no usable subject (SEC-63). */
export class MissingSubject extends ProviderFault {
  constructor() {
    super('the profile has no usable id');
    this.name = 'MissingSubject';
  }
}

/** The discovery document or keys of a provider are unavailable or invalid. */
export class ProviderUnavailable extends ProviderFault {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ProviderUnavailable';
  }
}

/**
 * Parses a profile. A number that a double would change is kept as text, since claims are stored as they come.
 * @throws ProviderFault
 */
export function parseProfile(text: string): unknown {
  try {
    return parseKeepingNumbers(text);
  } catch {
    // No cause: the parser error contains personal data.
    throw new ProviderFault('the profile is not JSON');
  }
}

/** A member of an object, however deep; undefined where any step is missing or not an object. */
export function at(json: unknown, ...path: readonly (string | number)[]): unknown {
  let value = json;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string | number, unknown>)[step];
  }
  return value;
}

/** @returns the text at a path, or '' for anything that is not text */
export function textAt(json: unknown, ...path: readonly (string | number)[]): string {
  const value = at(json, ...path);
  return typeof value === 'string' ? value : '';
}

/**
 * A user's id at the provider (SEC-63): non-blank text or, if ids are numeric, a positive integer.
 * @throws MissingSubject for anything else: different users would share one identity
 */
export function readSubject(value: unknown, { isNumeric = false } = {}): string {
  if (typeof value === 'string' && value.trim() !== '') return value;
  if (isNumeric && Number.isSafeInteger(value) && (value as number) > 0) return String(value);
  throw new MissingSubject();
}

/** @returns the address, or none where the provider sent no text */
export function oneAddress(
  email: unknown,
  isVerified: boolean,
): { email: string; isVerified: boolean; isPrimary: true }[] {
  return typeof email === 'string' && email !== '' ? [{ email, isVerified, isPrimary: true }] : [];
}

/** Whether a claim is true. Some issuers write booleans as text (Amazon Cognito, Apple); numbers are none. */
export function isTrueClaim(claim: unknown): boolean {
  return claim === true || claim === 'true';
}

/** Drops members that are empty: '', null, undefined. */
export function withoutEmpty(claims: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(claims).filter(([, value]) => value !== '' && value !== null && value !== undefined),
  );
}

/** @returns the audiences of a token */
export function audiencesOf({ aud }: IdTokenClaims): string[] {
  return (Array.isArray(aud) ? aud : [aud]).filter((audience) => typeof audience === 'string');
}
