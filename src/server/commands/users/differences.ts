/** What differs between a row there and one here. */
import type { ImportAccount } from '../../../db/import.js';
import type { ImportFactor, ImportPasskey } from '../../../db/import-factors.js';
import type { ImportClient, ImportConsent, ImportProvider } from '../../../db/import-oauth.js';
import type { ImportSession } from '../../../db/import-sessions.js';
import type { ImportSsoProvider } from '../../../db/import-sso.js';
import type {
  StoredAccount,
  StoredClient,
  StoredConsent,
  StoredFactor,
  StoredPasskey,
  StoredProviderFacts,
  StoredSession,
} from '../../../db/verify.js';
import type { TextSealer } from '../../sealing/text-sealer.js';

/** @returns names of columns, as do the others */
export function accountDifferences({ user, identities }: ImportAccount, stored: StoredAccount): string[] {
  const names = different(user, stored.user);
  const here = new Map((stored.identities ?? []).map((one) => [`${one['provider']} ${one['provider_id']}`, one]));
  const isSame = (one: ImportAccount['identities'][number]): boolean => {
    const other = here.get(`${one.provider} ${one.provider_id}`);
    return other !== undefined && different({ identity_data: one.identity_data }, other).length === 0;
  };
  if (identities.length !== here.size || !identities.every(isSame)) names.push('identities');
  return names;
}

export function sessionDifferences({ session }: ImportSession, stored: StoredSession): string[] {
  const { digest: _, token_key: __, ...facts } = session;
  return different(facts, stored.session);
}

/**
 * Uses are counted on both sides: here a counter may be higher and more codes be spent, but no fewer.
 * @param secrets opens those of authenticator apps
 */
export function factorDifferences(
  { factor, codes }: ImportFactor,
  stored: StoredFactor,
  secrets: TextSealer,
): string[] {
  const {
    digest: _,
    secret,
    credential,
    failed_tries: __,
    locked_until: ___,
    last_challenged_at: ____,
    ...facts
  } = factor;
  const names = different(facts, stored.factor);
  const open = (sealed: unknown): string | null =>
    typeof sealed === 'string' ? secrets.open(factor.id, sealed) : null;
  if (open(secret) !== open(stored.factor['secret'])) names.push('secret');
  if (differsBeyondUse(credential, stored.factor['credential'])) names.push('credential');
  const here = new Map((stored.codes ?? []).map((code) => [code['id'], code]));
  const isSame = ({ id, code_hash, consumed_at }: ImportFactor['codes'][number]): boolean => {
    const code = here.get(id);
    return (
      code !== undefined && code['code_hash'] === code_hash && (consumed_at === null || code['consumed_at'] !== null)
    );
  };
  if (codes.length !== here.size || !codes.every(isSame)) names.push('codes');
  return names;
}

export function passkeyDifferences(passkey: ImportPasskey, { passkey: stored }: StoredPasskey): string[] {
  const { digest: _, sign_count, last_used_at: __, backed_up: ___, ...facts } = passkey;
  return [...different(facts, stored), ...(Number(stored['sign_count']) < sign_count ? ['sign_count'] : [])];
}

export function clientDifferences({ digest: _, ...facts }: ImportClient, { client }: StoredClient): string[] {
  return different(facts, client);
}

export function consentDifferences(
  { digest: _, id: __, ...facts }: ImportConsent,
  { consent }: StoredConsent,
): string[] {
  return different(facts, consent);
}

/** The document of an issuer may be newer on one side. @param secrets opens what is sealed here */
export function providerDifferences(
  { digest: _, sealed_secret, discovery_document: __, ...facts }: ImportProvider,
  { provider }: StoredProviderFacts,
  secrets: TextSealer,
): string[] {
  const open = (sealed: unknown): string | null => secrets.open(facts.id, String(sealed));
  const isSame = open(sealed_secret) === open(provider['sealed_secret']);
  return [...different(facts, provider), ...(isSame ? [] : ['client_secret'])];
}

/** Metadata that comes from an address may be newer on one side. */
export function ssoProviderDifferences(
  { digest: _, metadata_refreshed_at: __, metadata: ___, metadata_xml, ...facts }: ImportSsoProvider,
  { provider }: StoredProviderFacts,
): string[] {
  return different({ ...facts, ...(facts.metadata_url === null && { metadata_xml }) }, provider);
}

function differsBeyondUse(there: ImportFactor['factor']['credential'], stored: unknown): boolean {
  if (there === null || stored === null) return there !== stored;
  const here = stored as Readonly<Record<string, unknown>>;
  const { sign_count, backed_up: _, ...facts } = there;
  return different(facts, here).length > 0 || Number(here['sign_count']) < Number(sign_count);
}

/** Names of the members that are not equal; key order and the format of a time do not matter. */
const different = (one: object, other: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(one)
    .filter(([name, value]) => canonical(value) !== canonical(other[name]))
    .map(([name]) => name);

const TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d/;

const canonical = (value: unknown): string =>
  JSON.stringify(value ?? null, (_name, member: unknown) => {
    if (typeof member === 'string' && TIME.test(member)) return toInstant(member);
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)));
  });

/** To the microsecond. */
function toInstant(text: string): string {
  const fraction = /\.(\d+)/.exec(text)?.[1] ?? '';
  const whole = Date.parse(
    text
      .replace(/\.\d+/, '')
      .replace(' ', 'T')
      .replace(/([+-]\d\d)$/, '$1:00'),
  );
  return `${whole}.${fraction.padEnd(6, '0').slice(0, 6)}`;
}
