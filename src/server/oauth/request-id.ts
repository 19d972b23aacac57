import { randomBytes } from 'node:crypto';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz234567';
const LENGTH = 32;

/** 160 random bits, in the form of supabase/auth. */
export const makeRequestId = (): string => Array.from(randomBytes(LENGTH), (byte) => LETTERS[byte & 31]).join('');

export const isRequestId = (text: string): boolean => /^[a-z2-7]{32}$/.test(text);
