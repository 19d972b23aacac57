/** The requests of the load. */

export type Traffic = 'refresh' | 'oauthRefresh' | 'password' | 'signup' | 'user' | 'page' | 'health';

/** A user with a session. */
export interface Account {
  readonly email: string;
  readonly accessToken: string;
  readonly refreshToken: string;
  /** A position in the list of users; the access token is then an operator's. */
  readonly cursor?: string;
  /** The session is one of this OAuth client. */
  readonly clientId?: string;
}

export const PASSWORD = 'correct horse battery staple';

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** @param newEmail for sign-ups */
export function requestFor(traffic: Traffic, account: Account, newEmail: string): HttpRequest {
  switch (traffic) {
    case 'refresh':
      return post('/token?grant_type=refresh_token', { refresh_token: account.refreshToken });
    case 'oauthRefresh':
      return postForm('/oauth/token', {
        grant_type: 'refresh_token',
        client_id: account.clientId!,
        refresh_token: account.refreshToken,
      });
    case 'password':
      return post('/token?grant_type=password', { email: account.email, password: PASSWORD });
    case 'signup':
      return post('/signup', { email: newEmail, password: PASSWORD });
    case 'user':
      return get('/user', account);
    case 'page':
      return get(`/admin/users?limit=50&cursor=${account.cursor}`, account);
    case 'health':
      return { method: 'GET', path: '/health', headers: {} };
  }
}

const get = (path: string, { accessToken }: Account): HttpRequest => ({
  method: 'GET',
  path,
  headers: { authorization: `Bearer ${accessToken}` },
});

const post = (path: string, body: object): HttpRequest => ({
  method: 'POST',
  path,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/** The values need no encoding. */
const postForm = (path: string, fields: Readonly<Record<string, string>>): HttpRequest => ({
  method: 'POST',
  path,
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: Object.entries(fields)
    .map((field) => field.join('='))
    .join('&'),
});

/** Whether each answer has the token of the next request. */
export const isChain = (traffic: Traffic): boolean => traffic === 'refresh' || traffic === 'oauthRefresh';

/** A request as sent over a connection; all of it is ASCII. */
export function renderRequest({ method, path, headers, body = '' }: HttpRequest, host: string): Buffer {
  let head = `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\n`;
  for (const name in headers) head += `${name}: ${headers[name]}\r\n`;
  if (body !== '') head += `content-length: ${body.length}\r\n`;
  return Buffer.from(`${head}\r\n${body}`, 'latin1');
}

const REFRESH_MEMBER = '"refresh_token":"';

/** Finds the next token of a chain; parsing the whole answer would cost the generator more than sending the request. */
export function findRefreshToken(answer: Buffer): string | undefined {
  const at = answer.indexOf(REFRESH_MEMBER);
  if (at === -1) return undefined;
  const start = at + REFRESH_MEMBER.length;
  return answer.toString('latin1', start, answer.indexOf('"', start));
}
