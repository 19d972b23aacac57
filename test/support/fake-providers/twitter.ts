/** Twitter's three legs of OAuth 1.0a (RFC 5849), its signatures checked by an implementation of their own. */
import { createHmac, randomUUID } from 'node:crypto';
import { askForm, page, sendBack } from './authorize.js';
import type { Call, FakeProvider, Grant, Reply, Shared } from './contract.js';
import { credentialsOf } from './credentials.js';
import { makePerson } from './oauth2.js';

const form = (fields: Record<string, string>): Reply => ({
  // The content type of the real one.
  type: 'text/html;charset=utf-8',
  body: new URLSearchParams(fields).toString(),
});

const refuse = (message: string): Reply => ({ status: 401, body: { errors: [{ code: 32, message }] } });

/** A request token is kept as a code: callback in `redirectUri`, its secret in `nonce`, the verifier in `challenge`. */
type RequestToken = Grant;

export const twitter: FakeProvider = {
  example: makePerson({ subject: '99', name: 'Bir D', username: 'bird', email: 'b@example.com' }),
  parts: {
    requestToken: '/oauth/request_token',
    authorize: '/oauth/authenticate',
    token: '/oauth/access_token',
    profile: '/1.1/account/verify_credentials.json',
  },
  serve(part, call, shared) {
    if (part === 'requestToken') return giveRequestToken(call, shared);
    if (part === 'authorize') return ask(call, shared);
    if (part === 'token') return exchange(call, shared);
    return readProfile(call, shared);
  },
};

function giveRequestToken(call: Call, shared: Shared): Reply {
  const fields = readHeader(call);
  if (!isSigned(call, shared, fields, '')) return refuse('Could not authenticate you.');
  const callback = fields.get('oauth_callback') ?? '';
  if (!shared.redirectUris.has(callback.split('?')[0] ?? ''))
    return refuse('Callback URL not approved for this client');
  const [token, secret] = [`rt-${randomUUID()}`, `rs-${randomUUID()}`];
  shared.codes.set(token, {
    provider: 'twitter',
    person: twitter.example,
    clientId: credentialsOf('twitter').id,
    redirectUri: callback,
    challenge: null,
    nonce: secret,
  } satisfies RequestToken);
  return form({ oauth_token: token, oauth_token_secret: secret, oauth_callback_confirmed: 'true' });
}

function ask(call: Call, shared: Shared): Reply {
  const token = call.query.get('oauth_token') ?? '';
  const request = shared.codes.get(token);
  if (request === undefined) return page(403, '<p>There is no request token for this page</p>');
  const decision = shared.decisionAt(call);
  if (decision === null) return page(200, askForm(call));
  if (decision !== 'allow') {
    shared.codes.delete(token);
    return sendBack(request.redirectUri, { denied: token }, 'query');
  }
  const verifier = `v-${randomUUID()}`;
  shared.codes.set(token, { ...request, person: shared.personAt(call), challenge: verifier });
  return sendBack(request.redirectUri, { oauth_token: token, oauth_verifier: verifier }, 'query');
}

function exchange(call: Call, shared: Shared): Reply {
  const fields = readHeader(call);
  const token = fields.get('oauth_token') ?? '';
  const request = shared.codes.get(token);
  if (request === undefined || request.challenge === null) return refuse('Invalid or expired token.');
  if (!isSigned(call, shared, fields, request.nonce ?? '')) return refuse('Could not authenticate you.');
  shared.codes.delete(token);
  if (fields.get('oauth_verifier') !== request.challenge) return refuse('Invalid verifier.');
  const [access, secret] = [`at-${randomUUID()}`, `as-${randomUUID()}`];
  shared.tokens.set(access, { ...request, nonce: secret });
  if (request.person.answers.token !== undefined) return { body: request.person.answers.token };
  const { username, subject } = request.person;
  return form({ oauth_token: access, oauth_token_secret: secret, user_id: String(subject), screen_name: username });
}

function readProfile(call: Call, shared: Shared): Reply {
  const fields = readHeader(call);
  const grant = shared.tokens.get(fields.get('oauth_token') ?? '');
  if (grant === undefined || !isSigned(call, shared, fields, grant.nonce ?? ''))
    return refuse('Bad authentication data.');
  const { answers, subject, name, username, email } = grant.person;
  if (Object.hasOwn(answers, 'profile')) return { body: answers.profile };
  return {
    body: {
      id_str: subject,
      screen_name: username,
      name,
      profile_image_url_https: 'http://img/b.png',
      // Absent if there is none, or if it was not requested.
      ...(email !== null && call.query.get('include_email') === 'true' && { email }),
    },
  };
}

/** RFC 5849 3.5.1. */
function readHeader(call: Call): Map<string, string> {
  const header = String(call.headers['authorization'] ?? '');
  if (!header.startsWith('OAuth ')) return new Map();
  const pairs = header.slice(6).split(',');
  return new Map(
    pairs.map((pair) => {
      const [, name = '', value = ''] = /^\s*([^=]+)="([^"]*)"\s*$/.exec(pair) ?? [];
      return [decodeURIComponent(name), decodeURIComponent(value)];
    }),
  );
}

/** RFC 5849 3.4. */
function isSigned(call: Call, shared: Shared, fields: ReadonlyMap<string, string>, tokenSecret: string): boolean {
  const { id, secret } = credentialsOf('twitter');
  const age = Math.abs(Date.now() / 1000 - Number(fields.get('oauth_timestamp')));
  if (fields.get('oauth_consumer_key') !== id || fields.get('oauth_signature_method') !== 'HMAC-SHA1') return false;
  if (fields.get('oauth_version') !== '1.0' || !(age < 300) || (fields.get('oauth_nonce') ?? '').length < 16)
    return false;
  const encode = (text: string) =>
    [...Buffer.from(text)]
      .map((byte) => (/[\w.~-]/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : hex(byte)))
      .join('');
  const given = [...fields].filter(([name]) => name !== 'oauth_signature' && name !== 'realm');
  const pairs = [...given, ...call.query, ...call.fields].map(([name, value]) => `${encode(name)}=${encode(value)}`);
  const parts = [call.method, `${shared.urlOf('twitter')}${call.path}`, pairs.sort().join('&')];
  const mac = createHmac('sha1', `${encode(secret)}&${encode(tokenSecret)}`);
  return mac.update(parts.map(encode).join('&')).digest('base64') === fields.get('oauth_signature');
}

const hex = (byte: number): string => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
