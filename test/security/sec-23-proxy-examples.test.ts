import { setTimeout as pause } from 'node:timers/promises';
import { skipHere } from '../support/not-here.js';
import { findProxy, type ProxyKind, proxyKinds, startProxy } from '../support/proxies.js';
import { type RawAnswer, RawSocket, requestText } from '../support/raw-socket.js';
import { startRecordingUpstream } from '../support/recording-upstream.js';
import { freshEmail, openTestServer, password } from '../support/server.js';
import { HIDDEN_ADDRESS, hiddenRequest, smugglingAttempts } from '../support/smuggling.js';
import { readSource } from '../support/source-tree.js';
import { type Test, t } from '../support/tap.js';

/** What each file must contain, and why. SEC-23 names the first five. */
const lines: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  'nginx.conf': {
    'HTTP/1.1 to the server': /^\s*proxy_http_version 1\.1;$/m,
    'the whole request first': /^\s*proxy_request_buffering on;$/m,
    'connections idle for 7 s at most': /^\s*keepalive_timeout 7s;$/m,
    'an access token fits in Authorization': /^\s*large_client_header_buffers 4 16k;$/m,
    'and in Location': /^\s*proxy_buffer_size 32k;$/m,
    'client address overwritten': /^\s*proxy_set_header X-Real-IP \$remote_addr;$/m,
    'forwarded address overwritten': /^\s*proxy_set_header X-Forwarded-For \$remote_addr;$/m,
    'no trailers announced': /^\s*proxy_set_header Trailer "";$/m,
    'no query in the log': /log_format without_query '(?![^']*\$(?:request |request_uri|args))[^']*\$uri/,
  },
  'haproxy.cfg': {
    'minimum versions': /2\.6\.15, 2\.7\.10, 2\.8\.2/,
    'the whole request first': /^\s*option http-buffer-request$/m,
    'connections idle for 8 s at most': /^\s*default-server .*pool-purge-delay 2s$/m,
    'client address overwritten': /^\s*http-request set-header X-Real-IP %\[src\]$/m,
    'forwarded address overwritten': /^\s*http-request set-header X-Forwarded-For %\[src\]$/m,
    'no HTTP/2, whose bodies need no length': /^\s*bind .* alpn http\/1\.1\n(?:.*\n)*\s*option disable-h2-upgrade$/m,
    'no chunks, so no trailers': /^\s*http-request return status 411 .*\{ req\.hdr\(transfer-encoding\) -m found \}$/m,
    'no query in the log': /^\s*log-format "[^"]*%HPO[^"]*"$/m,
    'no repeated request that changes something': /^\s*http-request disable-l7-retry unless METH_GET is_harmless$/m,
  },
  Caddyfile: {
    'HTTP/1.1 to the server': /^\s*versions 1\.1$/m,
    'the whole request first': /^\s*request_buffers unlimited$/m,
    'and bounded': /^\s*max_size 1MB$/m,
    'connections idle for 7 s at most': /^\s*keepalive 7s$/m,
    'client address overwritten': /^\s*header_up X-Real-IP \{remote_host\}$/m,
    'forwarded address overwritten': /^\s*header_up X-Forwarded-For \{remote_host\}$/m,
    'no query in the log': /^\s*request>uri regexp \\\?\.\* ""$/m,
  },
  'envoy.yaml': {
    'HTTP/1.1 to the server': /explicit_http_config:\n(?:\s*#.*\n)*\s*http_protocol_options:/,
    'the whole request first': /envoy\.extensions\.filters\.http\.buffer\.v3\.Buffer/,
    'connections idle for 7 s at most': /^\s*idle_timeout: 7s$/m,
    'client address overwritten':
      /key: X-Real-IP, value: "%DOWNSTREAM_DIRECT_REMOTE_ADDRESS_WITHOUT_PORT%" \}\n\s*append_action: OVERWRITE_IF_EXISTS_OR_ADD/,
    'forwarded address overwritten':
      /key: X-Forwarded-For, value: "%DOWNSTREAM_DIRECT_REMOTE_ADDRESS_WITHOUT_PORT%" \}\n\s*append_action: OVERWRITE_IF_EXISTS_OR_ADD/,
    'no trailers': /^\s*enable_trailers: false$/m,
    'no query in the log': /%REQ_WITHOUT_QUERY\(:PATH\)%/,
  },
};

t.test('SEC-23: the shipped examples have the necessary directives', async (t) => {
  for (const [file, wanted] of Object.entries(lines)) {
    const { text } = readSource(`deploy/proxies/${file}`);
    for (const [what, line] of Object.entries(wanted)) t.match(text, line, `${file}: ${what}`);
    t.match(text, /AUTH_RATE_LIMIT_HEADER=X-Real-IP/, `${file} says which header limits are counted by`);
  }
  t.match(readSource('docs/proxies.md').text, /2\.6\.15, 2\.7\.10 or 2\.8\.2/, 'docs: versions of HAProxy');
});

const bearer = (token: string): string => `Authorization: Bearer ${token}`;

async function ask(port: number, method: string, path: string, body?: unknown, ...headers: string[]) {
  const socket = await RawSocket.connectTls(port);
  try {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const all = [...(text === undefined ? [] : ['Content-Type: application/json']), ...headers];
    await socket.write(requestText(method, path, { headers: all, ...(text === undefined ? {} : { body: text }) }));
    return await readJson(socket);
  } finally {
    socket.close();
  }
}

/** Bodies that came in chunks, which a proxy may use, are not looked at. */
async function readJson(socket: RawSocket): Promise<{ status: number; body: ReturnType<typeof JSON.parse> }> {
  const answer: RawAnswer = await socket.read({ timeoutMs: 15_000 });
  return { status: answer.status, body: answer.body.startsWith('{') ? JSON.parse(answer.body) : undefined };
}

for (const kind of proxyKinds) {
  const { program, missing } = findProxy(kind);
  t.test(`SEC-23: through ${kind.name}`, async (t) => {
    if (program === undefined) skipHere(t, missing);
    else await tryProxy(t, kind, program);
  });
}

async function tryProxy(t: Test, kind: ProxyKind, program: string): Promise<void> {
  const settings = { RATE_LIMIT_HEADER: 'X-Real-IP', RATE_LIMIT_OTP: '2', EXTERNAL_ANONYMOUS_USERS_ENABLED: 'true' };
  const { server, database, call } = await openTestServer(t, { ...settings, RATE_LIMIT_TOKEN_REFRESH: '1000' });
  const port = await startProxy(t, kind, program, [`127.0.0.1:${server.port}`]);
  const storedAddresses = async (): Promise<string[]> =>
    (await database.admin.query('select distinct host(ip) as ip from sessions')).rows.map(({ ip }) => ip);

  await t.test('sign-up, sign-in and refresh over TLS', async (t) => {
    const credentials = { email: freshEmail(), password };
    t.match(await ask(port, 'POST', '/signup', credentials), { status: 200 });
    const signedIn = await ask(port, 'POST', '/token?grant_type=password', credentials);
    t.equal(signedIn.status, 200);
    const { refresh_token, access_token } = signedIn.body;
    t.match(await ask(port, 'GET', '/user', undefined, bearer(access_token)), { status: 200 });
    const refreshed = await ask(port, 'POST', '/token?grant_type=refresh_token', { refresh_token });
    t.equal(refreshed.status, 200);
    t.not(refreshed.body.refresh_token, refresh_token);
  });

  await t.test('no smuggled request gets through', async (t) => {
    const attempts = smugglingAttempts(() => hiddenRequest(freshEmail()));
    for (const [what, bytes] of Object.entries(attempts)) {
      const socket = await RawSocket.connectTls(port);
      await socket.write(bytes);
      // Refused, or answered once; a proxy that waits for more has forwarded nothing.
      await socket.read({ timeoutMs: 500 }).catch(() => undefined);
      socket.close();
      t.equal((await ask(port, 'GET', '/settings')).status, 200, `${what}: the next one gets its own answer`);
    }
    t.notOk((await storedAddresses()).includes(HIDDEN_ADDRESS), 'no hidden request was carried out');
    const direct = await call('POST', '/signup', {
      body: { email: freshEmail(), password },
      headers: { 'x-forwarded-for': HIDDEN_ADDRESS },
    });
    t.equal(direct.status, 200);
    t.ok((await storedAddresses()).includes(HIDDEN_ADDRESS), 'and one that had been would show');
  });

  await t.test('limits count by the address that the proxy sees', async (t) => {
    const statuses: number[] = [];
    for (let index = 1; index <= 40; index++) {
      const email = freshEmail();
      const headers = [`X-Real-IP: 203.0.113.${index}`, `X-Forwarded-For: 203.0.113.${index}`];
      statuses.push((await ask(port, 'POST', '/recover', { email }, ...headers)).status);
    }
    t.ok(statuses.includes(429), 'forty addresses of one client count as one');
    t.notOk((await storedAddresses()).some((ip) => ip.startsWith('203.0.113.')));
  });
}

t.test('SEC-23: what the proxies pass on', { jobs: proxyKinds.length }, async (t) => {
  for (const kind of proxyKinds) {
    const { program, missing } = findProxy(kind);
    t.test(kind.name, async (t) => {
      if (program === undefined) return skipHere(t, missing);
      const upstream = await startRecordingUpstream(t);
      const port = await startProxy(t, kind, program, [upstream.address]);
      // HAProxy runs its health check before it forwards.
      while ((await ask(port, 'GET', '/settings')).status === 503) await pause(50);

      const spoofed = [
        'X-Real-IP: 203.0.113.9',
        'X-Forwarded-For: 203.0.113.9, 127.0.0.1',
        'Forwarded: for=203.0.113.9',
      ];
      t.equal((await ask(port, 'POST', '/otp', { email: 'a@example.com' }, ...spoofed)).status, 200);

      const chunked = await RawSocket.connectTls(port);
      const head = requestText('POST', '/verify', { headers: ['Transfer-Encoding: chunked', 'Trailer: X-Late'] });
      await chunked.write(`${head}7\r\n{"a":1}\r\n`);
      await pause(300);
      const early = upstream.received().join('');
      t.notMatch(early, /POST \/verify/, 'nothing is sent before the whole body is there');
      await chunked.write('0\r\nX-Late: 203.0.113.9\r\n\r\n').catch(() => undefined);
      const answer = await chunked.read();
      t.equal(answer.status, kind.chunks === 'refused' ? 411 : 200, 'a body in chunks');
      chunked.close();

      const text = upstream.received().join('\n');
      t.match(text, /^POST \/otp HTTP\/1\.1\r$/m, 'HTTP/1.1');
      t.match(text, /^x-real-ip: 127\.0\.0\.1\r$/im);
      t.match(text, /^x-forwarded-for: 127\.0\.0\.1\r$/im);
      t.notMatch(text, /203\.0\.113\.9/, 'neither spoofed addresses nor trailers');
      t.notMatch(text, /^x-late:/im);
      if (kind.chunks !== 'passed') t.notMatch(text, /^(?:transfer-encoding|trailer):/im, 'no chunks either');

      const sentMs = performance.now();
      while (upstream.idleMs === null && performance.now() - sentMs < 9500) await pause(50);
      // The engine closes after 8 s at the earliest.
      t.ok(upstream.idleMs !== null && upstream.idleMs < 8000, `closed after ${Math.round(upstream.idleMs ?? 0)} ms`);
      t.equal((await ask(port, 'GET', '/settings')).status, 200, 'and the next request gets a new one');
    });
  }
});
