import { createSocket } from 'node:dgram';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createAddressCheck } from '../../src/server/mail/address-check.js';
import { listeningLog, mailConfig } from '../support/mailer.js';
import { findQuickest } from '../support/quickest.js';
import { type Test, t } from '../support/tap.js';

const NXDOMAIN = 3;
const SERVFAIL = 2;
const TYPES = { A: 1, MX: 15 } as const;

const encodeName = (name: string) =>
  Buffer.concat([
    ...name
      .split('.')
      .filter(Boolean)
      .map((part) => Buffer.from([part.length, ...Buffer.from(part)])),
    Buffer.from([0]),
  ]);

type Zone = Readonly<Record<string, { mx?: string; a?: true; code?: number; silent?: true }>>;

/** A DNS server (RFC 1035 4) that knows a few names. */
async function openDns(t: Test, zone: Zone): Promise<string> {
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const labels: string[] = [];
    let at = 12;
    for (; query[at] !== 0; at += query[at]! + 1) labels.push(query.toString('latin1', at + 1, at + 1 + query[at]!));
    const question = query.subarray(12, at + 5);
    const type = query.readUInt16BE(at + 1);
    const entry = zone[labels.join('.').toLowerCase()] ?? { code: NXDOMAIN };
    if (entry.silent) return;
    const data =
      type === TYPES.MX && entry.mx !== undefined
        ? Buffer.concat([Buffer.from([0, 10]), encodeName(entry.mx)])
        : type === TYPES.A && entry.a
          ? Buffer.from([192, 0, 2, 1])
          : null;
    const head = Buffer.from([
      query[0]!,
      query[1]!,
      0x81,
      0x80 | (entry.code ?? 0),
      0,
      1,
      0,
      data === null ? 0 : 1,
      0,
      0,
      0,
      0,
    ]);
    const answer = data === null ? [] : [Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length]), data];
    socket.send(Buffer.concat([head, question, ...answer]), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  t.teardown(() => socket.close());
  return `127.0.0.1:${socket.address().port}`;
}

const configOf = (settings: Record<string, string>) => mailConfig('postgres://unused', 25, settings);

t.test('the extended validation', async (t) => {
  const dns = await openDns(t, {
    'mail.dev': { mx: 'mx.mail.dev' },
    'plain.dev': { a: true },
    'null-mx.dev': { mx: '' },
    'blocked.dev': { mx: 'MX.Blocked.org' },
    'nothing.dev': {},
    'broken.dev': { code: SERVFAIL },
    'silent.dev': { silent: true },
  });
  const log = listeningLog();
  const settings = {
    MAILER_EMAIL_VALIDATION_EXTENDED: 'true',
    MAILER_EMAIL_VALIDATION_BLOCKED_MX: '["mx.blocked.org."]',
  };
  const accepts = createAddressCheck(configOf(settings), log, [dns]);
  const refused = [
    ...['test@gmail.com', 'ab@gmail.com', 'abcde+label@gmail.com', 'a@example.com', 'a@b.example', 'a@printer.local'],
    ...['a@test.com', 'a@gamil.com', 'a@host', '"a b"@mail.dev', 'a@unknown.dev', 'a@nothing.dev', 'a@null-mx.dev'],
    'a@blocked.dev',
  ];
  for (const email of refused) t.equal(await accepts(email), false, email);
  for (const email of ['a@mail.dev', 'a@plain.dev', 'abcdef@gmail.com', 'a@outlook.com']) {
    t.equal(await accepts(email), true, email);
  }
  t.equal(log.lines.length, 0);
  t.equal(await accepts('a@broken.dev'), true, 'a fault of the DNS is no refusal');
  const { ms, result } = await findQuickest(3500, () => accepts('a@silent.dev'));
  t.equal(result, true, 'nor is silence');
  t.ok(ms < 3500, `within 3 s: ${Math.round(ms)} ms`);
  t.equal(await createAddressCheck(configOf({}), log, [dns])('a@unknown.dev'), true, 'off by default');
});

t.test('the validation service', async (t) => {
  const seen: string[] = [];
  let answer: [status: number, body: string] = [200, '{"valid":false}'];
  const service = createServer((request, response) => {
    void text(request).then((body) => {
      seen.push(`${request.method} ${request.headers['x-key']} ${body}`);
      response.writeHead(answer[0], { 'content-type': 'application/json' }).end(answer[1]);
    });
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  t.teardown(() => service.close());
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}/check`;
  const accepts = createAddressCheck(
    configOf({
      MAILER_EMAIL_VALIDATION_SERVICE_URL: url,
      MAILER_EMAIL_VALIDATION_SERVICE_HEADERS: '{"X-Key":["secret"]}',
    }),
    listeningLog(),
  );
  t.equal(await accepts('a@mail.dev'), false);
  t.same(seen, ['POST secret {"email":"a@mail.dev"}']);
  const passing: (readonly [number, string])[] = [
    [200, '{"valid":true}'],
    [500, '{"valid":false}'],
    [200, ''],
    [200, '<html>'],
    [200, 'null'],
    [200, `{"reason":"${'x'.repeat(40)}","valid":false}`],
  ];
  for (const [status, body] of passing) {
    answer = [status, body];
    t.equal(await accepts('a@mail.dev'), true, `${status} ${body.slice(0, 20)}`);
  }
  service.closeAllConnections();
  await new Promise((resolve) => service.close(resolve));
  t.equal(await accepts('a@mail.dev'), true, 'a service that is away refuses nothing');
});
