import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createAddressCheck } from '../../src/server/mail/address-check.js';
import { openDns, SERVFAIL } from '../support/dns-server.js';
import { listeningLog, mailConfig } from '../support/mailer.js';
import { findQuickest } from '../support/quickest.js';
import { t } from '../support/tap.js';

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
    DNS_SERVERS: dns,
  };
  const accepts = createAddressCheck(configOf(settings), log);
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
  t.equal(await createAddressCheck(configOf({ DNS_SERVERS: dns }), log)('a@unknown.dev'), true, 'off by default');
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
