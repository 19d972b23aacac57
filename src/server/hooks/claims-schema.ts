/** What the claims of a hook must look like. */
import type { Claims } from './contract.js';

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isInteger: Check = (value) => Number.isSafeInteger(value);
const isObject: Check = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

const REQUIRED = ['aud', 'exp', 'iat', 'sub', 'email', 'phone', 'role', 'aal', 'session_id', 'is_anonymous'] as const;

/** The type of each known claim, in the words of the error. */
const types: Readonly<Record<string, readonly [check: Check, inWords: string]>> = {
  aud: [(value) => isText(value) || (Array.isArray(value) && value.every(isText)), 'string or array'],
  exp: [isInteger, 'integer'],
  iat: [isInteger, 'integer'],
  nbf: [isInteger, 'integer'],
  jti: [isText, 'string'],
  iss: [isText, 'string'],
  sub: [isText, 'string'],
  email: [isText, 'string'],
  phone: [isText, 'string'],
  role: [isText, 'string'],
  aal: [isText, 'string'],
  session_id: [isText, 'string'],
  client_id: [isText, 'string'],
  is_anonymous: [(value) => typeof value === 'boolean', 'boolean'],
  app_metadata: [isObject, 'object'],
  user_metadata: [isObject, 'object'],
  amr: [(value) => Array.isArray(value) && value.every((entry) => isText(entry) || isObject(entry)), 'array'],
};

/** @returns what is wrong with the claims, as the text of the error; empty: nothing */
export function findClaimFaults(claims: Claims): string[] {
  const missing = REQUIRED.filter((name) => claims[name] === undefined);
  return [
    ...missing.map((name) => `(root): ${name} is required`),
    ...Object.entries(types)
      .filter(([name, [check]]) => claims[name] !== undefined && !check(claims[name]))
      .map(([name, [, inWords]]) => `${name}: Invalid type. Expected: ${inWords}`),
  ];
}
