/**
 * Searches the output of all servers of a run for the secrets that tests sent, received or configured (SEC-71). Servers
 * log to a directory at the highest level; helpers add metrics, traces and error responses, and record each secret.
 */
import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const VARIABLE = 'LATCHKEY_TEST_SEARCHED';
const SECRETS = 'secrets.txt';
/** Fields of bodies, and parameters of links, that are secret. */
const SECRET_FIELDS = new Set([
  'password',
  'access_token',
  'refresh_token',
  'token',
  'token_hash',
  'hashed_token',
  'nonce',
  'captcha_token',
  'trusted_device_token',
  'auth_code',
  'code_verifier',
  'id_token',
  'provider_token',
  'provider_refresh_token',
  // Of an authenticator app; and recovery codes.
  'secret',
  'codes',
]);
/** Shorter values, e.g. codes of six digits, occur by chance. */
const SHORTEST = 16;
const FEWEST_CHARACTERS = 6;
const MAX_LEAKS_SHOWN = 50;

/** Settings that make a server log everything; none outside such a run. */
export function searchedLogSettings(): Record<string, string> {
  const directory = process.env[VARIABLE];
  return directory === undefined ? {} : { LOG_LEVEL: 'trace', LOG_FILE: join(directory, `${randomUUID()}.log`) };
}

/** Other searched output: standard error, metrics pages, spans, bodies of error responses. */
export type SearchedOutput = 'stderr' | 'metrics' | 'traces' | 'errors';

export function keepForSearch(kind: SearchedOutput, text: string): void {
  const directory = process.env[VARIABLE];
  if (directory !== undefined) appendFileSync(join(directory, `${kind}-${process.pid}.log`), `${text}\n`);
}

/** Settings that are secret. */
const SECRET_SETTING = /SECRET|PASSWORD(?!_)|_PASS$|TOKEN$|PRIVATE_KEY|AUTH_KEY|SALT|SIGNER_KEY/;

/** Records the secrets among a server's settings, the password of its database included. */
export function noteSettings(environment: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(environment)) {
    if (SECRET_SETTING.test(name)) for (const part of value.split(',')) noteSecrets({ password: part });
    if (name.endsWith('DATABASE_URL') && URL.canParse(value)) noteSecrets({ password: new URL(value).password });
  }
}

/** Records the secrets in a request or response. */
export function noteSecrets(...values: readonly unknown[]): void {
  const directory = process.env[VARIABLE];
  if (directory === undefined) return;
  const found = values.flatMap(findSecrets);
  if (found.length > 0)
    appendFileSync(join(directory, SECRETS), found.map((secret) => `${JSON.stringify(secret)}\n`).join(''));
}

export function findSecrets(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, held]) => {
    const texts: unknown[] = Array.isArray(held) ? held : [held];
    if (SECRET_FIELDS.has(key)) return texts.filter((text) => typeof text === 'string' && isTelling(text)) as string[];
    return findSecrets(held);
  });
}

/** False for a repeated letter, or an id in place of a token: those are in logs for other reasons. */
const isTelling = (value: string): boolean =>
  value.length >= SHORTEST && new Set(value).size >= FEWEST_CHARACTERS && !/^[0-9a-f-]{36}$/i.test(value);

/** How many characters are hashed at each place: fewer than the shortest secret has. */
const WINDOW = 8;
const BASE = 31;
const FILTER_BITS = 22;
const WEIGHT_OF_FIRST = Array.from({ length: WINDOW - 1 }).reduce<number>((weight) => Math.imul(weight, BASE), 1);
const indexOf = (hash: number): number => Math.imul(hash, 0x9e3779b1) >>> (32 - FILTER_BITS);

/** Of the characters from a place on. */
function hashOf(text: string, from: number): number {
  let hash = 0;
  for (let i = from; i < from + WINDOW; i++) hash = (Math.imul(hash, BASE) + text.charCodeAt(i)) | 0;
  return hash;
}

/**
 * Prepares a search in one pass: every place of a text is looked up by the first characters of the secrets. There are 40 million places
 * in a run, so most are left out by a hash that follows from that of the place before (Rabin and Karp).
 * @returns what takes a text, and returns for each secret found the line without the secret
 */
export function prepareSearch(secrets: readonly string[]): (text: string) => string[] {
  const byStart = new Map<string, Set<string>>();
  const filter = new Uint8Array(2 ** FILTER_BITS);
  for (const secret of secrets) {
    const start = secret.slice(0, SHORTEST);
    byStart.set(start, (byStart.get(start) ?? new Set()).add(secret));
    filter[indexOf(hashOf(start, 0))] = 1;
  }
  return (text) => search(text, byStart, filter);
}

function search(text: string, byStart: ReadonlyMap<string, ReadonlySet<string>>, filter: Uint8Array): string[] {
  const faults: string[] = [];
  let hash = hashOf(text, 0);
  for (let i = 0; i + SHORTEST <= text.length; i++) {
    if (filter[indexOf(hash)] === 1) {
      for (const secret of byStart.get(text.slice(i, i + SHORTEST)) ?? []) {
        if (!text.startsWith(secret, i)) continue;
        const line = text.slice(text.lastIndexOf('\n', i) + 1, i + secret.length + 200).split('\n')[0]!;
        faults.push(line.replaceAll(secret, '<secret>').slice(0, 600));
      }
    }
    const rest = hash - Math.imul(text.charCodeAt(i), WEIGHT_OF_FIRST);
    hash = (Math.imul(rest, BASE) + text.charCodeAt(i + WINDOW)) | 0;
  }
  return [...new Set(faults)];
}

export interface SecretSearch {
  readonly environment: Record<string, string>;
  /** Removes the directory. @returns the log lines with secrets, without these, and how much was searched */
  finish(): { readonly faults: string[]; readonly searched: string; readonly secrets: number };
}

export function startSecretSearch(): SecretSearch {
  const directory = mkdtempSync(join(tmpdir(), 'latchkey-searched-'));
  return {
    environment: { [VARIABLE]: directory },
    finish() {
      const read = (name: string): string => readFileSync(join(directory, name), 'utf8');
      const names = readdirSync(directory);
      const notes = names.includes(SECRETS) ? read(SECRETS).trim().split('\n') : [];
      const secrets = [...new Set(notes)].map((line) => JSON.parse(line) as string);
      const searchText = prepareSearch(secrets);
      const characters: Record<string, number> = {};
      const faults = names.flatMap((name) => {
        if (!name.endsWith('.log')) return [];
        const text = read(name);
        const kind = /^(?:metrics|traces|errors)(?=-)/.exec(name)?.[0] ?? 'logs';
        characters[kind] = (characters[kind] ?? 0) + text.length;
        return searchText(text).map((fault) => `${kind}: ${fault}`);
      });
      rmSync(directory, { recursive: true });
      const searched = Object.entries(characters).map(([kind, count]) => `${kind} ${Math.ceil(count / 1000)} kB`);
      return { faults, searched: searched.join(', '), secrets: secrets.length };
    },
  };
}

/** Ends a search and prints what it found. @returns how many leaked secrets there were */
export function reportSearch(search: SecretSearch): number {
  const { faults, searched, secrets } = search.finish();
  for (const fault of faults.slice(0, MAX_LEAKS_SHOWN))
    process.stdout.write(`not ok - SEC-71: a secret appears in ${fault}\n`);
  process.stdout.write(`\nSearched for ${secrets} secrets: ${searched}; ${faults.length} found\n`);
  return faults.length;
}
