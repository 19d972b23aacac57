import { isUtf8 } from 'node:buffer';
import { parseTraceParent } from '../../src/server/telemetry/trace-parent.js';
import { adminToken } from '../support/admin.js';
import { makeHeaderValue } from '../support/header-cases.js';
import { chooseSeed, openRandom, pickForm, sameInFull } from '../support/long-form.js';
import { exchangeRaw, RawSocket, requestText } from '../support/raw-socket.js';
import { freshEmail, openTestServer, password, type TestServer } from '../support/server.js';
import { readTree } from '../support/source-tree.js';
import { type Test, t } from '../support/tap.js';

const REQUESTS = pickForm({ short: 500, full: 1500, long: 30_000 });
const settings = {
  RATE_LIMIT_HEADER: 'X-Real-IP',
  RATE_LIMIT_OTP: '1000000',
  RATE_LIMIT_VERIFY: '1000000',
  RATE_LIMIT_TOKEN_REFRESH: '1000000',
  RATE_LIMIT_EMAIL_SENT: '1000000',
  REQUEST_ID_HEADER: 'X-Request-Id',
  SMTP_MAX_FREQUENCY: '0s',
  JWT_AUDIENCES: '*',
  EXTERNAL_ANONYMOUS_USERS_ENABLED: 'true',
  EXTERNAL_GITHUB_ENABLED: 'true',
  EXTERNAL_GITHUB_CLIENT_ID: 'client',
  EXTERNAL_GITHUB_SECRET: 'secret',
  EXTERNAL_GITHUB_REDIRECT_URI: 'http://localhost:9999/callback',
};

/** Headers that the source reads by their names. */
const NAMED = readTree(['src/server'], '.ts').flatMap(({ text }) =>
  [...text.matchAll(/\.header(?:Lines)?\('([^']+)'\)/g)].map(([, name]) => name!),
);
/** Headers whose names come from settings and lists. */
const OTHERS = ['purpose', 'sec-purpose', 'x-moz', 'x-purpose', 'x-real-ip', 'x-request-id'];
const HEADERS = [...new Set([...NAMED, ...OTHERS])];
/** What is stored, and so could fail there. */
const STORED = ['user-agent', 'x-forwarded-for', 'x-jwt-aud'];

interface Shot {
  readonly method: string;
  readonly target: string;
  readonly bearer?: string;
  readonly body?: unknown;
}

/** What may be asked, one of each kind of route; an account of its own for those that end something. */
async function makeShots({ post }: TestServer): Promise<readonly (() => Shot)[]> {
  const signUp = (email: string) => post('/signup', { email, password });
  const email = freshEmail();
  const bearer = (await signUp(email)).body.access_token as string;
  const refreshToken = (await post('/token?grant_type=password', { email, password })).body.refresh_token;
  const admin = adminToken();
  return [
    () => ({ method: 'POST', target: '/signup', body: { email: freshEmail(), password } }),
    () => ({ method: 'POST', target: '/signup', body: {} }),
    () => ({ method: 'POST', target: '/token?grant_type=password', body: { email, password } }),
    () => ({ method: 'POST', target: '/token?grant_type=refresh_token', body: { refresh_token: refreshToken } }),
    () => ({ method: 'GET', target: '/user', bearer }),
    () => ({ method: 'PUT', target: '/user', bearer, body: { data: { a: 1 } } }),
    () => ({ method: 'POST', target: '/otp', body: { email } }),
    () => ({ method: 'POST', target: '/otp', body: { email: freshEmail() } }),
    () => ({ method: 'POST', target: '/magiclink', body: { email } }),
    () => ({ method: 'POST', target: '/recover', body: { email } }),
    () => ({ method: 'POST', target: '/resend', body: { type: 'signup', email } }),
    () => ({ method: 'POST', target: '/verify', body: { type: 'signup', email, token: '123456' } }),
    () => ({ method: 'GET', target: '/verify?type=signup&token=abcdef' }),
    () => ({ method: 'POST', target: '/verify/confirm', body: {} }),
    () => ({ method: 'GET', target: '/authorize?provider=github' }),
    () => ({ method: 'GET', target: '/callback?state=abc&code=def' }),
    () => ({ method: 'POST', target: '/invite', bearer: admin, body: { email: freshEmail() } }),
    () => ({ method: 'POST', target: '/admin/users', bearer: admin, body: { email: freshEmail() } }),
    () => ({ method: 'GET', target: '/admin/users', bearer: admin }),
    () => ({ method: 'GET', target: '/admin/audit', bearer: admin }),
    () => ({ method: 'POST', target: '/admin/generate_link', bearer: admin, body: { type: 'magiclink', email } }),
    () => ({ method: 'OPTIONS', target: '/token' }),
    () => ({ method: 'GET', target: '/settings' }),
    () => ({ method: 'GET', target: '/health' }),
    () => ({ method: 'GET', target: '/nowhere' }),
  ];
}

/** Necessary headers are added unless they are randomised. */
function headersOf({ bearer }: Shot, fuzzed: readonly string[], names: readonly string[]): string[] {
  const own: readonly (readonly [name: string, value: string | undefined])[] = [
    ['authorization', bearer && `Bearer ${bearer}`],
    ['content-type', 'application/json'],
    ['user-agent', 'test'],
  ];
  const missing = own.flatMap(([name, value]) =>
    value === undefined || names.includes(name) ? [] : [`${name}: ${value}`],
  );
  return [...missing, ...fuzzed];
}

t.test('SEC-91 no header value leads to a 5xx', { timeout: 120_000 + REQUESTS * 40 }, async (t: Test) => {
  const server = await openTestServer(t, settings);
  const port = Number(new URL(server.url).port);
  const shots = await makeShots(server);
  for (const name of ['authorization', 'cookie', 'redirect_to', ...STORED])
    t.ok(NAMED.includes(name), `${name} is read`);
  const seed = chooseSeed(t);
  const faults: string[] = [];
  const seen = new Map<number, number>();
  let socket: RawSocket | undefined;
  for (let number = 0; number < REQUESTS; number++) {
    const random = openRandom(seed, number);
    const shot = random.pick(random.oneIn(3) ? shots.slice(0, 1) : shots)();
    const names = Array.from({ length: 1 + random.int(3) }, () => random.pick(random.oneIn(2) ? HEADERS : STORED));
    const unique = [...new Set(names)];
    const fuzzed = unique.map((name) => `${name}: ${makeHeaderValue(random)}`);
    const body = shot.body === undefined ? undefined : JSON.stringify(shot.body);
    const text = requestText(shot.method, shot.target, {
      headers: headersOf(shot, fuzzed, unique),
      ...(body === undefined ? {} : { body }),
    });
    if (text.length > 16_000) continue;
    socket ??= await RawSocket.connect(port);
    await socket.write(text);
    const answer = await socket.read();
    seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
    if (answer.status >= 500) faults.push(`${answer.status} of ${JSON.stringify(text.slice(0, 400))}`);
    if (/^Connection: close$/m.test(answer.head)) socket = void socket.close();
  }
  socket?.close();
  t.comment(JSON.stringify(Object.fromEntries(seen)));
  t.same(faults.slice(0, 5), [], `${faults.length} faults`);
  t.ok((seen.get(200) ?? 0) > REQUESTS / 10, 'many of them were served');
  const { rows } = await server.database.admin.query<{ longest: number }>(
    'select max(length(user_agent)) as longest from sessions',
  );
  t.ok(rows[0]!.longest <= 512, `user agents are stored up to 512 characters, here ${rows[0]!.longest}`);
});

t.test('SEC-91 the stored client address is valid or null', sameInFull, async (t) => {
  const server = await openTestServer(t, settings);
  const port = Number(new URL(server.url).port);
  const stored = async (...headers: string[]) => {
    const body = JSON.stringify({ email: freshEmail(), password });
    const answer = await exchangeRaw(port, requestText('POST', '/signup', { headers, body }));
    t.equal(answer.status, 200, headers.join());
    const { rows } = await server.database.admin.query<{ ip: string; user_agent: string }>(
      'select host(ip) as ip, user_agent from sessions where user_id = $1',
      [JSON.parse(answer.body).user.id],
    );
    return rows[0]!;
  };
  t.match(await stored('X-Forwarded-For: fe80::1%eth0'), { ip: 'fe80::1' }, 'a zone means nothing here');
  t.match(await stored('X-Forwarded-For: fe80::1%eth0, 10.0.0.1'), { ip: 'fe80::1' });
  t.match(await stored('X-Forwarded-For: unknown, 203.0.113.7%lo'), { ip: '127.0.0.1' });
  t.match(await stored(`X-Forwarded-For: ::1%${'z'.repeat(6000)}`), { ip: '::1' });
  t.match(await stored('User-Agent: \xff\xed\xa0\x80 tail'), { user_agent: /tail$/ });
  // The engine takes bytes beyond ASCII at either end for white space.
  const smiles = `x${'\xf0\x9f\x98\x80'.repeat(600)}x`;
  t.match(await stored(`User-Agent: ${smiles}`), { user_agent: `x${'😀'.repeat(255)}\ufffd` }, 'cut within a pair');
});

t.test('SEC-91 an audience is a short text', sameInFull, async (t) => {
  const { call } = await openTestServer(t, settings);
  const body = { email: freshEmail(), password };
  for (const audience of ['a'.repeat(6000), 'a'.repeat(256), 'caf\xe9s']) {
    const answer = await call('POST', '/signup', { body, headers: { 'x-jwt-aud': audience } });
    t.match(answer, { status: 400, body: { error_code: 'validation_failed' } }, audience.slice(0, 8));
  }
});

t.test('SEC-91 trace headers are valid, or ignored', sameInFull, async (t) => {
  const seed = chooseSeed(t);
  for (let number = 0; number < 5000; number++) {
    const random = openRandom(seed, number);
    const [parent, state] = [makeHeaderValue(random), makeHeaderValue(random)];
    if (!isUtf8(Buffer.from(parent, 'latin1'))) continue;
    t.doesNotThrow(() => parseTraceParent(parent, state));
  }
});
