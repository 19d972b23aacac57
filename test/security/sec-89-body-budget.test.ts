import fc from 'fast-check';
import { endpoints } from '../../src/server/endpoints/index.js';
import { BodyBudget } from '../../src/server/http/request-body.js';
import { holds } from '../support/properties.js';
import { exchangeRaw, RawSocket, requestText } from '../support/raw-socket.js';
import { freshEmail, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

const MEGABYTE = 1_048_576;
/** Accounts with their metadata. */
const LARGEST_BODY_BYTES = 131_072;
/** What identity providers of companies write. */
const LARGER_BODY_BYTES = new Map([
  ['/sso/saml/acs', 262_144],
  ['/admin/sso/providers', 262_144],
  ['/admin/sso/providers/{id}', 262_144],
  ['/scim/v2/Groups', 1_048_576],
  ['/scim/v2/Groups/{id}', 1_048_576],
  ['/organizations/{id}/sso', 262_144],
  ['/organizations/{id}/sso/{provider_id}', 262_144],
  ['/ui/account/organizations/{id}/sso', 262_144],
]);

t.test('SEC-89 each endpoint has its own body limit', async (t) => {
  const { url } = await openTestServer(t);
  const port = Number(new URL(url).port);
  for (const { method, path, maxBodyBytes = 65_536 } of endpoints) {
    t.ok(maxBodyBytes <= (LARGER_BODY_BYTES.get(path) ?? LARGEST_BODY_BYTES), path);
    const target = path.replace(/\{[a-z_]+\}/, '6b0a3b1e-6b0a-4b1e-8b0a-3b1e6b0a3b1e');
    const send = (bytes: number, framing: string, body: string) =>
      exchangeRaw(port, `${requestText(method, target, { headers: [framing.replace('N', String(bytes))] })}${body}`);
    const announced = await send(maxBodyBytes + 1, 'Content-Length: N', '');
    t.match(announced, { status: 413, body: new RegExp(`max ${maxBodyBytes} bytes`) }, `${method} ${path}: announced`);
    const chunk = `${(maxBodyBytes + 1).toString(16)}\r\n${' '.repeat(maxBodyBytes + 1)}\r\n0\r\n\r\n`;
    t.equal((await send(0, 'Transfer-Encoding: chunked', chunk)).status, 413, `${method} ${path}: counted`);
    const whole = await send(maxBodyBytes, 'Content-Length: N', ' '.repeat(maxBodyBytes));
    t.not(whole.status, 413, `${method} ${path}: the limit itself`);
  }
});

/** Bodies of the largest permitted size whose last byte does not come. */
async function holdBodies(port: number, count: number, localAddress: string, headers: readonly string[] = []) {
  const size = 131_072;
  const head = requestText('POST', '/signup', { headers: [`Content-Length: ${size}`, ...headers] });
  const sockets: RawSocket[] = [];
  for (let n = 0; n < count; n++) {
    const socket = await RawSocket.connect(port, '127.0.0.1', localAddress);
    await socket.write(head + ' '.repeat(size - 1));
    sockets.push(socket);
  }
  return sockets;
}

function closeAll(sockets: readonly RawSocket[]): void {
  for (const socket of sockets) socket.close();
}

/** A sign-up, in one piece or with a long body in two. @returns its status */
async function signUp(port: number, localAddress: string, isLong: boolean, headers: readonly string[] = []) {
  const body = JSON.stringify({ email: freshEmail(), password, padding: isLong ? 'x'.repeat(100_000) : '' });
  const text = requestText('POST', '/signup', { headers, body });
  const socket = await RawSocket.connect(port, '127.0.0.1', localAddress);
  const half = text.length - Math.floor(body.length / 2);
  await socket.write(text.slice(0, half));
  if (isLong) await new Promise((resolve) => setTimeout(resolve, 20));
  await socket.write(text.slice(half));
  const { status } = await socket.read();
  socket.close();
  return status;
}

/** More than the whole budget. */
const MANY = 600;

t.test('SEC-89 unfinished bodies of one client leave memory for those of others', async (t) => {
  const { url } = await openTestServer(t);
  const port = Number(new URL(url).port);
  const held = await holdBodies(port, MANY, '127.0.0.2');
  t.teardown(() => closeAll(held));
  t.equal(await signUp(port, '127.0.0.3', true), 200, 'a long body of another address');
  t.equal(await signUp(port, '127.0.0.3', false), 200, 'a short one');
  t.equal(await signUp(port, '127.0.0.2', false), 200, 'a short body of the same address');
  t.equal(await signUp(port, '127.0.0.2', true), 503, 'a long one is beyond its share');
  closeAll(held);
  // It is free again when they are closed, or the test times out.
  await until(async () => (await signUp(port, '127.0.0.2', true)) === 200);
});

t.test('SEC-89 behind a proxy, clients are those of the header', async (t) => {
  const { url } = await openTestServer(t, { RATE_LIMIT_HEADER: 'X-Real-IP', RATE_LIMIT_OTP: '1000000' });
  const port = Number(new URL(url).port);
  const held = await holdBodies(port, MANY, '127.0.0.1', ['X-Real-IP: 203.0.113.7']);
  t.teardown(() => closeAll(held));
  t.equal(await signUp(port, '127.0.0.1', true, ['X-Real-IP: 203.0.113.8']), 200, 'another client');
  t.equal(await signUp(port, '127.0.0.1', true, ['X-Real-IP: 203.0.113.7']), 503, 'the same one');
  t.equal(await signUp(port, '127.0.0.1', false, ['X-Real-IP: 203.0.113.7']), 200, 'with a short body');
});

t.test('SEC-89 no number of clients exhausts the memory', async (t) => {
  const budget = new BodyBudget();
  const takeShare = (client: string) => {
    while (budget.hold(16_384, client));
  };
  for (let client = 0; client < 30; client++) takeShare(`client ${client}`);
  t.ok(budget.hold(131_072, 'one more'), 'a body of the largest size, after thirty that took all they could');
  for (let client = 0; client < 10_000; client++) takeShare(`other ${client}`);
  t.ok(budget.held <= 48 * MEGABYTE, `${budget.held} bytes are held`);
  for (let n = 0; n < 1000; n++) t.ok(budget.hold(16_384, null), 'short bodies');
});

t.test('SEC-89 held memory is counted exactly and released', async (t) => {
  const step = fc.tuple(fc.nat({ max: 5 }), fc.nat({ max: 400 }));
  holds(
    t,
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const budget = new BodyBudget(1700);
      const taken: [count: number, client: string | null][] = [];
      const sum = () => taken.reduce((total, [count]) => total + count, 0);
      for (const [who, count] of steps) {
        const client = who === 0 ? null : String(who);
        if (count > 0 && budget.hold(count, client)) taken.push([count, client]);
        else if (taken.length > 0) budget.free(...taken.splice(count % taken.length, 1)[0]!);
        if (budget.held !== sum() || budget.held > 1700) return false;
      }
      for (const one of taken.splice(0)) budget.free(...one);
      // All of a share, 1/17 of 3/4, is there again.
      return budget.held === 0 && budget.hold(75, '1') && !budget.hold(1, '1');
    }),
  );
});
