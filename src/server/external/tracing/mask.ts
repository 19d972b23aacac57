/** What a trace keeps of texts that came from outside. */

const MASK = '…';
const MAX_TEXT = 1000;
const MAX_ITEMS = 60;
const MAX_DEPTH = 6;
/** Of the JSON of a step, and of one member where the step is larger. */
const MAX_STEP = 20_000;
const MAX_MEMBER = 2000;
/** Shorter texts may be words. */
const MIN_SECRET = 6;
/** Members that are worth something to whoever has them, whatever a provider calls them. */
const SECRET_NAME = /token(?!_type|_endpoint)|secret|assertion|verifier|password|^code$/i;
/** Members with words of somebody else, who may repeat anything in them. */
const FREE_TEXT: ReadonlySet<string> = new Set(['error_body', 'error_description', 'message', 'cause', 'fault']);
/** Long runs with a digit, as tokens, codes and hashes are; dots and slashes part addresses. */
const RANDOM = /(?=[\w+~=-]*\d)[\w+~=-]{24,}/g;
/** A token in three parts (RFC 7519). */
const JWT = /\beyJ[\w-]*\.[\w-]*\.?[\w-]*/g;

/** Keeps the secrets of one attempt, and takes them out of everything that is noted. */
export class Mask {
  readonly #secrets = new Set<string>();

  /** Also as forms, URLs and JSON write them. */
  hide(secrets: readonly (string | null | undefined)[]): void {
    for (const secret of secrets) {
      if (!secret || secret.length < MIN_SECRET) continue;
      this.#secrets.add(secret);
      this.#secrets.add(encodeURIComponent(secret.toWellFormed()));
      this.#secrets.add(new URLSearchParams({ _: secret }).toString().slice('_='.length));
      this.#secrets.add(JSON.stringify(secret).slice(1, -1));
      this.#secrets.add(Buffer.from(secret).toString('base64').replace(/=+$/, ''));
    }
  }

  /** Members with such a name are hidden, however deep. */
  hideMembers(json: unknown, depth = 0): void {
    if (typeof json !== 'object' || json === null || depth === MAX_DEPTH) return;
    for (const [name, item] of Object.entries(json)) {
      if (typeof item === 'string' && SECRET_NAME.test(name)) this.hide([item]);
      else this.hideMembers(item, depth + 1);
    }
  }

  /** @returns a copy without the secrets. What is too large is cut, or left out and named in `left_out` */
  step(detail: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const masked = this.#value(detail) as Readonly<Record<string, unknown>>;
    const sizeOf = (value: unknown): number => JSON.stringify(value)?.length ?? 0;
    if (sizeOf(masked) <= MAX_STEP) return masked;
    const [kept, out] = [true, false].map((isKept) =>
      Object.entries(masked).filter(([, value]) => sizeOf(value) <= MAX_MEMBER === isKept),
    );
    return { ...Object.fromEntries(kept!), left_out: out!.map(([name]) => name) };
  }

  #value(value: unknown, name = '', depth = 0): unknown {
    if (typeof value === 'string') return SECRET_NAME.test(name) ? MASK : this.#text(value, FREE_TEXT.has(name));
    if (typeof value !== 'object' || value === null) return value;
    if (depth === MAX_DEPTH) return MASK;
    if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item) => this.#value(item, name, depth + 1));
    const items = Object.entries(value).filter(([, item]) => item !== undefined);
    return Object.fromEntries(
      items.slice(0, MAX_ITEMS).map(([key, item]) => [this.#text(key, false), this.#value(item, key, depth + 1)]),
    );
  }

  #text(text: string, isFree: boolean): string {
    let masked = text;
    for (const secret of this.#secrets) masked = masked.replaceAll(secret, MASK);
    masked = masked.replace(JWT, MASK);
    if (isFree) masked = masked.replace(RANDOM, MASK);
    // Postgres stores no U+0000 and no lone surrogates.
    return masked
      .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
      .slice(0, MAX_TEXT)
      .toWellFormed();
  }
}

/** Parameters whose values say what was asked for. Those of any other are counted, not kept. */
const SHOWN: ReadonlySet<string> = new Set([
  'access_type',
  'acr_values',
  'audience',
  'client_id',
  'code_challenge_method',
  'display',
  'error',
  'error_description',
  'error_uri',
  'hd',
  'include_granted_scopes',
  'iss',
  'max_age',
  'oauth_callback_confirmed',
  'prompt',
  'provider',
  'redirect_to',
  'redirect_uri',
  'resource',
  'response_mode',
  'response_type',
  'scope',
  'scopes',
  'ui_locales',
]);

/** @returns names with values, or with their lengths where they may be worth something */
export const showParameters = (parameters: Iterable<readonly [string, string]>) =>
  [...parameters].map(([name, value]) => ({
    name,
    value: SHOWN.has(name) || value === '' ? value : `(${value.length} characters)`,
  }));
