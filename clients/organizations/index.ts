/** A client of the endpoints of organizations, for browsers and servers (README.md). */
import {
  type AdminOperations,
  adminOperations,
  type Operation,
  type UserOperations,
  userOperations,
} from './operations.js';

export type * from './operations.js';

export interface ClientOptions {
  /** Where the endpoints are: `https://auth.example.com`, or `https://example.com/auth/v1` behind a gateway. */
  readonly url: string;
  /** Asked before each request, so that a session may be renewed meanwhile. */
  accessToken(): Promise<string | null | undefined> | string | null | undefined;
  /** Of each request, such as the key of a gateway. */
  readonly headers?: Readonly<Record<string, string>>;
  /** In place of the one of the platform. */
  readonly fetch?: typeof fetch;
}

/** An answer that is none of success. */
export class OrganizationsError extends Error {
  override readonly name = 'OrganizationsError';
  /** Of HTTP; 0: no request was sent. */
  readonly status: number;
  /** Such as `last_owner`: those of docs/errors.md. */
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** For the user whose token it is. Each function throws OrganizationsError, or what `fetch` throws. */
export const createOrganizations = (options: ClientOptions): UserOperations =>
  bindOperations<UserOperations>(userOperations, options);

/** For administrators, whose tokens are for servers only. */
export const createOrganizationsAdmin = (options: ClientOptions): AdminOperations =>
  bindOperations<AdminOperations>(adminOperations, options);

/**
 * The entries of all pages of a list.
 * @param name of the list in the answer, such as `members`
 * @param read asks for one page. Undefined: the first one
 */
export async function* eachEntry<
  Name extends string,
  Page extends Readonly<Record<Name, readonly unknown[]>> & { readonly next_cursor: string | null },
>(name: Name, read: (cursor: string | undefined) => Promise<Page>): AsyncGenerator<Page[Name][number]> {
  for (let cursor: string | undefined; ; ) {
    const page = await read(cursor);
    for (const entry of page[name] as readonly Page[Name][number][]) yield entry;
    if (page.next_cursor === null) return;
    cursor = page.next_cursor;
  }
}

type Given = Readonly<Record<string, unknown>>;

function bindOperations<Operations>(table: Readonly<Record<string, Operation>>, options: ClientOptions): Operations {
  const bound = Object.entries(table).map(([name, operation]) => [
    name,
    (given: Given = {}) => send(options, operation, given),
  ]);
  return Object.fromEntries(bound) as Operations;
}

async function send(options: ClientOptions, operation: Operation, given: Given): Promise<unknown> {
  const { headers = {}, fetch: ask = globalThis.fetch } = options;
  const address = addressOf(options.url, operation, given);
  const token = await options.accessToken();
  if (!token) throw new OrganizationsError(0, 'no_authorization', 'There is no session');
  const body = operation.body === null ? null : JSON.stringify(pick(given, operation.body));
  const answer = await ask(address, {
    method: operation.method,
    headers: {
      ...headers,
      Authorization: `Bearer ${token}`,
      ...(body !== null && { 'Content-Type': 'application/json' }),
    },
    body,
  });
  const parsed = parse(await answer.text());
  if (answer.ok) return parsed;
  const { error_code: code, msg } = (parsed ?? {}) as { error_code?: unknown; msg?: unknown };
  throw new OrganizationsError(
    answer.status,
    typeof code === 'string' ? code : 'unexpected_failure',
    typeof msg === 'string' ? msg : `The answer was ${answer.status}`,
  );
}

function addressOf(url: string, { path, query }: Operation, given: Given): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => segmentOf(name, given[name]));
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(pick(given, query))) parameters.set(name, String(value));
  const text = parameters.toString();
  return `${url.replace(/\/+$/, '')}${filled}${text === '' ? '' : `?${text}`}`;
}

/** One that is absent, or that means another folder, would lead to another endpoint. */
function segmentOf(name: string, value: unknown): string {
  if (typeof value !== 'string' || /^\.{0,2}$/.test(value)) throw new TypeError(`${name} must be a text, not ${value}`);
  return encodeURIComponent(value);
}

const pick = (given: Given, names: readonly string[]): Given =>
  Object.fromEntries(names.filter((name) => given[name] !== undefined).map((name) => [name, given[name]]));

/** What a gateway answers need be no JSON. */
function parse(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
