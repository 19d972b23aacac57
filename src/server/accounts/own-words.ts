/** Words that are easy to guess for one account: its address, its names, the host of the site. */
import type { Metadata } from '../../db/user-rows.js';

export interface PasswordOwner {
  readonly email?: string | null;
  readonly phone?: string | null;
  readonly user_metadata?: Metadata;
}

const NAMES = ['full_name', 'name', 'first_name', 'last_name', 'given_name', 'family_name', 'nickname', 'user_name'];
const USERNAMES = ['username', 'preferred_username'];
/** Labels of a host that name nothing. */
const GENERIC = new Set(['www', 'app', 'com', 'org', 'net']);
const MIN_CHARACTERS = 3;

/**
 * Whether a password, in NFKC, is one of the words, in any case, or one between characters that are no letters: `Alice2024!`.
 * @param owners the account, and what it is about to become
 */
export function isOwnWord(password: string, owners: readonly PasswordOwner[], siteUrl: string): boolean {
  const words = new Set([...owners.flatMap(wordsOf), ...wordsOfHost(siteUrl)]);
  const whole = password.toLowerCase();
  // Greedy, so that the time is linear.
  const core = /\p{L}(?:.*\p{L})?/su.exec(whole)?.[0] ?? '';
  return [whole, core, whole.replaceAll(' ', '')].some((text) => text.length >= MIN_CHARACTERS && words.has(text));
}

function wordsOf({ email, phone, user_metadata: metadata = {} }: PasswordOwner): string[] {
  const address = (email ?? '').toLowerCase();
  const local = address.slice(0, Math.max(0, address.lastIndexOf('@')));
  const digits = (phone ?? '').replace(/\D/g, '');
  const names = [...NAMES, ...USERNAMES].flatMap((key) => {
    const name = metadata[key];
    return typeof name === 'string' ? spellings(name.slice(0, 255).normalize('NFKC').toLowerCase()) : [];
  });
  return [address, digits, ...spellings(local), ...names];
}

/** As it is, without separators, and its parts. */
function spellings(text: string): string[] {
  const parts = text.split(/[\s._+-]+/);
  return [text, parts.join(''), ...parts];
}

function wordsOfHost(siteUrl: string): string[] {
  const { hostname } = new URL(siteUrl);
  const labels = hostname.split('.');
  const own = labels.length === 1 ? labels : labels.slice(0, -1);
  return [hostname, ...own.filter((label) => !GENERIC.has(label))];
}
