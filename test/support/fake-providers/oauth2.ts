/** Makes an OAuth 2.0 provider from a description: consent page, token endpoint, and API behind a bearer token. */
import { createHash, randomUUID } from 'node:crypto';
import { type AuthorizeRules, authorize } from './authorize.js';
import type { Call, FakeProvider, Grant, Part, Person, Reply, Shared } from './contract.js';
import { type ClientStyle, readClientStyle } from './credentials.js';

export interface OAuth2Fake extends AuthorizeRules {
  readonly example: Partial<Person>;
  readonly paths: { readonly authorize: string; readonly token: string };
  /** How clients may authenticate at the token endpoint. */
  readonly clientStyles: readonly ClientStyle[];
  /** The token response; absent: {@link standardToken}. */
  token?(tokens: Tokens, grant: Grant, call: Call, shared: Shared): Reply | Promise<Reply>;
  /** Its error responses; absent: those of RFC 6749 5.2. */
  tokenError?(error: string, status: number, call: Call): Reply;
  readonly resources?: Readonly<Partial<Record<'profile' | 'emails', Resource>>>;
  /** Discovery, keys. */
  readonly documents?: Readonly<Partial<Record<'discovery' | 'jwks', Document>>>;
}

export interface Tokens {
  readonly access: string;
  readonly refresh: string;
}

export interface Resource {
  readonly path: string;
  read(person: Person): unknown;
  /** @returns the error of a request with a valid token, or null */
  refuse?(call: Call, token: string): string | null;
}

export interface Document {
  readonly path: string;
  read(shared: Shared): unknown;
}

const nobody: Person = { subject: '1', name: '', username: '', email: null, isVerified: true, others: [], answers: {} };

export const makePerson = (example: Partial<Person>): Person => ({ ...nobody, ...example });

export function standardToken({ access, refresh }: Tokens): Reply {
  return { body: { access_token: access, token_type: 'bearer', expires_in: 3600, refresh_token: refresh } };
}

const standardError = (error: string, status: number): Reply => ({
  status,
  body: { error, error_description: `${error.replaceAll('_', ' ')}.` },
});

export function makeOAuth2Fake(fake: OAuth2Fake): FakeProvider {
  const { paths, resources = {}, documents = {} } = fake;
  return {
    example: makePerson(fake.example),
    parts: {
      ...paths,
      ...Object.fromEntries(
        [...Object.entries(resources), ...Object.entries(documents)].map(([part, { path }]) => [part, path]),
      ),
    },
    serve(part: Part, call, shared) {
      switch (part) {
        case 'authorize':
          return authorize(call, shared, fake);
        case 'token':
          return exchange(fake, call, shared);
        case 'profile':
        case 'emails':
          return readResource(part, resources[part]!, call, shared);
        case 'discovery':
        case 'jwks':
          return { body: documents[part]!.read(shared) };
        default:
          return { status: 404, body: { error: 'not found' } };
      }
    },
  };
}

function exchange(fake: OAuth2Fake, call: Call, shared: Shared): Reply | Promise<Reply> {
  const { fields } = call;
  const refuse = (error: string, status = 400) => (fake.tokenError ?? standardError)(error, status, call);
  if (call.method !== 'POST') return refuse('invalid_request', 405);
  if (!String(call.headers['content-type']).startsWith('application/x-www-form-urlencoded')) {
    return refuse('invalid_request');
  }
  const style = readClientStyle(call);
  if (style === null || !fake.clientStyles.includes(style)) return refuse('invalid_client', 401);
  if (fields.get('grant_type') !== 'authorization_code') return refuse('unsupported_grant_type');
  const code = fields.get('code') ?? '';
  const grant = shared.codes.get(code);
  if (grant === undefined || grant.provider !== call.provider) return refuse('invalid_grant');
  // A code works once, even if the exchange fails (RFC 6749 4.1.2).
  shared.codes.delete(code);
  if (fields.get('redirect_uri') !== grant.redirectUri) return refuse('invalid_grant');
  if (grant.challenge !== null && grant.challenge !== challengeOf(fields.get('code_verifier') ?? '')) {
    return refuse('invalid_grant');
  }
  const tokens = { access: `tok-${randomUUID()}`, refresh: `rt-${randomUUID()}` };
  shared.tokens.set(tokens.access, grant);
  if (grant.person.answers.token !== undefined) return { body: grant.person.answers.token };
  return fake.token?.(tokens, grant, call, shared) ?? standardToken(tokens);
}

const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');

function readResource(part: 'profile' | 'emails', resource: Resource, call: Call, shared: Shared): Reply {
  if (call.method !== 'GET') return { status: 405, body: { message: 'Method not allowed' } };
  const token = /^Bearer (\S+)$/.exec(String(call.headers['authorization']))?.[1] ?? '';
  const grant = shared.tokens.get(token);
  if (grant === undefined || grant.provider !== call.provider) {
    return { status: 401, body: { message: 'The access token is not valid' } };
  }
  const fault = resource.refuse?.(call, token) ?? null;
  if (fault !== null) return { status: 400, body: { message: fault } };
  const { answers } = grant.person;
  return { body: Object.hasOwn(answers, part) ? answers[part] : resource.read(grant.person) };
}
