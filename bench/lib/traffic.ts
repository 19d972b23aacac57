/** The requests the load generators send. */

export type Traffic = 'refresh' | 'password' | 'user' | 'signup' | 'health' | 'page';

/** A user with an open session. */
export interface Account {
  readonly email: string;
  readonly accessToken: string;
  readonly refreshToken: string;
  /** A place in the list of accounts; the access token is then an operator's. */
  readonly cursor?: string;
}

export const PASSWORD = 'correct horse battery staple';

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

const JSON_HEADERS = { 'content-type': 'application/json' };

/** @param fresh an address nobody has used, for sign-ups */
export function requestFor(traffic: Traffic, account: Account, fresh: string): HttpRequest {
  switch (traffic) {
    case 'refresh':
      return post('/token?grant_type=refresh_token', { refresh_token: account.refreshToken });
    case 'password':
      return post('/token?grant_type=password', { email: account.email, password: PASSWORD });
    case 'signup':
      return post('/signup', { email: fresh, password: PASSWORD });
    case 'user':
      return get('/user', account);
    case 'page':
      return get(`/admin/users?limit=50&cursor=${account.cursor ?? ''}`, account);
    case 'health':
      return { method: 'GET', path: '/health', headers: {} };
  }
}

function get(path: string, { accessToken }: Account): HttpRequest {
  return { method: 'GET', path, headers: { authorization: `Bearer ${accessToken}` } };
}

function post(path: string, body: object): HttpRequest {
  return { method: 'POST', path, headers: JSON_HEADERS, body: JSON.stringify(body) };
}

/** A request as it goes over the connection; all of it is ASCII. */
export function renderRequest({ method, path, headers, body = '' }: HttpRequest, host: string): Buffer {
  let head = `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\n`;
  for (const name in headers) head += `${name}: ${headers[name]}\r\n`;
  if (body !== '') head += `content-length: ${body.length}\r\n`;
  return Buffer.from(`${head}\r\n${body}`, 'latin1');
}

const REFRESH_MEMBER = '"refresh_token":"';

/** Finds the next token of a chain without parsing the answer, which would cost the generator more than sending. */
export function findRefreshToken(answer: Buffer): string | undefined {
  const at = answer.indexOf(REFRESH_MEMBER);
  if (at === -1) return undefined;
  const start = at + REFRESH_MEMBER.length;
  return answer.toString('latin1', start, answer.indexOf('"', start));
}
