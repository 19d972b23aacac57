/** Sign-in with a wallet: what is refused, and that nothing is written then. */
import { connect } from 'node:net';
import { openTestServer } from '../support/server.js';
import { t } from '../support/tap.js';
import {
  encodeBase58,
  type MessageParts,
  makeEthereumWallet,
  makeHighS,
  makeSolanaWallet,
  timeIn,
  walletSettings,
} from '../support/wallets.js';

const GRANT = '/token?grant_type=web3';
const SITE = 'app.example.com';

t.test('with one server', async (t) => {
  const { post, database, url } = await openTestServer(t, {
    ...walletSettings,
    SITE_URL: `https://${SITE}`,
    URI_ALLOW_LIST: 'http://localhost:3000/**,https://port.example.com:8443/**',
    EXTERNAL_WEB3_SOLANA_MAXIMUM_VALIDITY_DURATION: '1m',
  });
  const signIn = (body: unknown) => post(GRANT, body);
  const countUsers = async () => (await database.admin.query('select count(*)::int as n from users')).rows[0].n;
  const here = { domain: SITE, uri: `https://${SITE}/login` };

  t.test('a message for another site, or another time', async (t) => {
    const cases: Readonly<Record<string, readonly [MessageParts, RegExp]>> = {
      'another domain': [{ ...here, domain: 'evil.example' }, /using a Domain/],
      'another domain before localhost': [{ domain: 'evil.example' }, /using a Domain/],
      'a domain below ours': [{ ...here, domain: `evil.${SITE}` }, /using a Domain/],
      'another port': [{ ...here, domain: `${SITE}:8443` }, /using a Domain/],
      'another URI': [{ ...here, uri: 'https://evil.example/' }, /not allowed on this server/],
      'another domain and URI': [
        { domain: 'evil.example', uri: 'https://evil.example/' },
        /not allowed on this server, message was signed for another app/,
      ],
      'a URI with our domain as a user': [{ ...here, uri: `https://${SITE}@evil.example/` }, /not allowed/],
      'a URI without TLS': [{ ...here, uri: `http://${SITE}/` }, /does not use HTTPS/],
      'a URI of an address of this machine': [{ domain: '127.0.0.1:3000', uri: 'http://127.0.0.1:3000/' }, /HTTPS/],
      'another scheme': [{ ...here, domain: `http://${SITE}` }, /another scheme/],
      expired: [{ ...here, issuedAt: timeIn(-20), lines: [`Expiration Time: ${timeIn(-10)}`] }, /is expired/],
      'not yet valid': [{ ...here, lines: [`Not Before: ${timeIn(30)}`] }, /becomes valid in the future/],
      'issued long ago': [{ ...here, issuedAt: timeIn(-700) }, /was issued too long ago/],
      'issued in the future': [{ ...here, issuedAt: timeIn(700) }, /was issued too far in the future/],
    };
    const before = await countUsers();
    for (const [name, [parts, reason]] of Object.entries(cases)) {
      for (const wallet of [makeEthereumWallet(), makeSolanaWallet()]) {
        const { status, body } = await signIn(wallet.body(parts));
        t.equal(status, 400, `${wallet.chain}: ${name}`);
        t.match(
          body,
          {
            error: 'invalid_grant',
            error_description: reason,
            code: 400,
            error_code: 'invalid_credentials',
            msg: reason,
          },
          `${wallet.chain}: ${name}`,
        );
      }
    }
    t.equal(await countUsers(), before);
    const short = await signIn(makeSolanaWallet().body({ ...here, issuedAt: timeIn(-70) }));
    t.match(short.body, { msg: 'Solana message was issued too long ago' }, 'each chain has its own duration');
    const onPort = { domain: 'port.example.com:8443', uri: 'https://port.example.com:8443/x' };
    const withScheme = { ...here, domain: `https://${SITE}` };
    const others = [{}, { ...here, domain: `${SITE}:443` }, { domain: 'localhost' }];
    for (const parts of [here, onPort, withScheme, ...others]) {
      t.equal((await signIn(makeEthereumWallet().body(parts))).status, 200, JSON.stringify(parts));
    }
  });

  t.test('a signature that proves nothing', async (t) => {
    const wallet = makeEthereumWallet();
    const other = makeEthereumWallet();
    const solana = makeSolanaWallet();
    const message = wallet.write(here);
    const signature = wallet.sign(message);
    const base = { chain: 'ethereum', message, signature };
    const onSolana = solana.body(here);
    const before = await countUsers();
    // y = 1 and y = 0 have the orders 1 and 4: with them such a signature is true for a quarter of all texts, or for all.
    const small = [`01${'00'.repeat(31)}`, '00'.repeat(32)].map((hex) => encodeBase58(Buffer.from(hex, 'hex')));
    const nothing = Buffer.from(`01${'00'.repeat(63)}`, 'hex').toString('base64url');
    const cases: Readonly<Record<string, { chain: string; message: string; signature: string }>> = {
      'of another wallet': { ...base, signature: other.sign(message) },
      'of another text': { ...base, signature: wallet.sign(`${message}\n`) },
      'with another statement': { ...base, message: wallet.write({ ...here, statement: 'Give all.' }) },
      'with another address': { ...base, message: message.replace(wallet.address, other.address) },
      'in its malleable form': { ...base, signature: makeHighS(signature) },
      'with the other key': {
        ...base,
        signature: `${signature.slice(0, -2)}${signature.endsWith('1b') ? '1c' : '1b'}`,
      },
      'of zeros': { ...base, signature: `0x${'0'.repeat(130)}` },
      'beyond the order': { ...base, signature: `0x${'f'.repeat(128)}1b` },
      'with an odd last byte': { ...base, signature: `${signature.slice(0, -2)}42` },
      'of another wallet of Solana': { ...onSolana, signature: makeSolanaWallet().sign(onSolana.message) },
      'of another text of Solana': { ...onSolana, message: onSolana.message.replace('Version: 1', 'Version: 1 ') },
      'by a key that is no point': {
        chain: 'solana',
        message: solana.write({ ...here, address: encodeBase58(Buffer.alloc(32, 0xee)) }),
        signature: onSolana.signature,
      },
      ...Object.fromEntries(
        small.map((address) => [
          `by the key of small order ${address}`,
          { chain: 'solana', message: solana.write({ ...here, address }), signature: nothing },
        ]),
      ),
    };
    for (const [name, body] of Object.entries(cases)) {
      t.match(
        await signIn(body),
        { status: 400, body: { error: 'invalid_grant', msg: 'Signature does not match address in message' } },
        name,
      );
    }
    t.equal(await countUsers(), before);
    t.equal((await signIn(base)).status, 200, 'none of them used up the message');
  });

  t.test('a form that is not one', async (t) => {
    const wallet = makeEthereumWallet();
    const solana = makeSolanaWallet();
    const good = wallet.body(here);
    const twice = [`URI: https://${SITE}/`, 'Version: 1', 'Issued At: 2026-01-01T00:00:00Z'];
    const write = (parts: MessageParts) => wallet.write({ ...here, ...parts });
    const texts: Readonly<Record<string, readonly [string, RegExp]>> = {
      empty: ['', /too short/],
      short: ['x'.repeat(63), /too short/],
      long: [write({ statement: 'x'.repeat(20_480) }), /must not exceed 20KB/],
      'of another chain': [solana.write(here), /^siwe: message does not begin/],
      'a line feed of Windows': [write({}).replaceAll('\n', '\r\n'), /cannot be shown/],
      'a separator of lines that is none': [write({ statement: `a\u2028URI: https://${SITE}/` }), /cannot be shown/],
      'a text that runs backwards': [write({ statement: 'a\u202eb' }), /cannot be shown/],
      'a bell': [write({ statement: 'a\u0007b' }), /cannot be shown/],
      'a domain in letters of other scripts': [write({ domain: 'аpp.example.com' }), /domain in the first line/],
      'a domain with a path': [write({ domain: `${SITE}/evil` }), /domain in the first line/],
      'a domain with a user': [write({ domain: `evil@${SITE}` }), /domain in the first line/],
      'a long domain': [write({ domain: `${'a'.repeat(10_000)}.com` }), /domain in the first line/],
      'a short address': [write({ address: '0x1234' }), /address in the second line/],
      'a third line': [write({}).replace('\n\n', '\nx\n'), /third line/],
      'a statement of two lines': [write({ statement: 'one\ntwo' }), /Key: value/],
      'a statement that brings keys': [write({ statement: `ok\n\nURI: https://evil.example/` }), /a key twice/],
      ...Object.fromEntries(twice.map((line) => [`twice ${line}`, [write({ lines: [line] }), /a key twice/] as const])),
      'a key twice in another case': [write({ lines: ['uri: https://evil.example/'] }), /a key twice/],
      'no URI': [write({}).replace(/URI: .*\n/, ''), /URI is missing/],
      'a relative URI': [write({ uri: '/login' }), /URI is missing or not valid/],
      'a URI with a blank': [write({ uri: `https://${SITE}/ evil` }), /URI is missing or not valid/],
      'another version': [write({ version: '2' }), /Version must be 1/],
      'a chain in words': [write({ chainId: 'mainnet' }), /Chain ID/],
      'chain 0': [write({ chainId: '0' }), /Chain ID/],
      'no time': [write({}).replace(/Issued At: .*/, 'Mood: good'), /Issued At is missing/],
      'a time in words': [write({ issuedAt: 'now' }), /RFC 3339/],
      'a day that does not exist': [write({ issuedAt: '2026-02-30T00:00:00Z' }), /RFC 3339/],
      'an end before the beginning': [write({ lines: [`Expiration Time: ${timeIn(-5)}`] }), /after Expiration Time/],
      'a begin after the end': [
        write({ lines: [`Expiration Time: ${timeIn(5)}`, `Not Before: ${timeIn(9)}`] }),
        /Not Before is after/,
      ],
      'a resource that is none': [write({ lines: ['Resources:', '- nowhere'] }), /resource/],
      'a line without a colon': [write({ lines: ['hello'] }), /Key: value/],
      'few lines': [write({}).split('\n').slice(0, 5).join('\n'), /at least 6 lines/],
    };
    for (const [name, [message, reason]] of Object.entries(texts)) {
      const { status, body } = await signIn({ chain: 'ethereum', message, signature: good.signature });
      t.match({ status, ...body }, { status: 400, error_code: 'validation_failed', msg: reason }, name);
    }
    const chain = solana.write({ ...here, chainId: 'solana:moon' });
    t.match((await signIn({ chain: 'solana', message: chain, signature: solana.sign(chain) })).body, {
      msg: /Chain ID/,
    });
    for (const address of ['1'.repeat(44), 'z'.repeat(44), encodeBase58(Buffer.alloc(31, 7))]) {
      const message = solana.write({ ...here, address });
      const { body } = await signIn({ chain: 'solana', message, signature: solana.sign(message) });
      t.match(body, { error_code: 'validation_failed', msg: /^siws: address/ }, `not 32 bytes: ${address}`);
    }
    const signatures = ['', '0x', 'zz', good.signature.slice(0, -2), `${good.signature}00`, `0x${good.signature}`];
    for (const signature of signatures) {
      const msg = 'signature must be 65 bytes long, encoded as a 130 character-long hexadecimal string';
      t.match((await signIn({ ...good, signature })).body, { error_code: 'validation_failed', msg });
    }
    const { signature, ...rest } = solana.body(here);
    for (const odd of ['', signature.slice(1), `${signature}=`, signature.replace(/.$/, '!'), `${signature}AAAA`]) {
      const msg = 'signature must be 64 bytes encoded as base64 with or without padding';
      t.match((await signIn({ ...rest, signature: odd })).body, { error_code: 'validation_failed', msg });
    }
    for (const other of ['bitcoin', 'Ethereum', '', 'constructor', undefined]) {
      t.match((await signIn({ ...good, chain: other })).body, {
        code: 400,
        error_code: 'web3_unsupported_chain',
        msg: 'Unsupported chain',
      });
    }
    t.equal((await signIn({ ...good, message: null })).status, 400);
    for (const message of [1, ['a'], write({ statement: 'a\0b' }), write({ statement: 'a\ud800b' })]) {
      t.match((await signIn({ ...good, message })).body, { error_code: 'bad_json' });
    }
  });

  t.test('a message of a megabyte', async (t) => {
    const { port } = new URL(url);
    const socket = connect(Number(port), '127.0.0.1');
    t.teardown(() => socket.destroy());
    const body = JSON.stringify({ ...makeEthereumWallet().body(here), message: 'x'.repeat(1_000_000) });
    socket.on('error', () => {});
    socket.write(
      `POST ${GRANT} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    const [answer] = await new Promise<string[]>((resolve) => socket.once('data', (data) => resolve([String(data)])));
    t.match(answer, /^HTTP\/1\.1 413 /);
  });
});

t.test('switches, the nonce and new accounts', async (t) => {
  const off = await openTestServer(t, { EXTERNAL_WEB3_ETHEREUM_ENABLED: 'true' });
  t.match((await off.post(GRANT, makeSolanaWallet().body())).body, {
    code: 422,
    error_code: 'web3_provider_disabled',
    msg: 'Solana Web3 provider is disabled',
  });
  const { body: person } = await off.post(GRANT, makeEthereumWallet().body());
  t.ok(person.access_token);
  const adding = { bearer: person.access_token, body: makeEthereumWallet().body() };
  t.match(await off.call('POST', '/user/identities/web3', adding), {
    status: 404,
    body: { error_code: 'manual_linking_disabled' },
  });
  t.match((await off.call('GET', '/settings')).body.external, { web3_ethereum: true, web3_solana: false });
  const none = await openTestServer(t, { DB_DATABASE_URL: off.database.url });
  t.match((await none.call('GET', '/settings')).body.external, { web3_ethereum: false, web3_solana: false });
  for (const body of [makeEthereumWallet().body(), makeSolanaWallet().body(), { chain: 'bitcoin' }]) {
    t.match(await none.post(GRANT, body), { status: 422, body: { error_code: 'web3_provider_disabled' } });
  }
  t.match(await none.call('POST', '/web3/nonce'), { status: 422, body: { error_code: 'web3_provider_disabled' } });
  const strict = await openTestServer(t, {
    ...walletSettings,
    DB_DATABASE_URL: off.database.url,
    EXTERNAL_WEB3_NONCE_REQUIRED: 'true',
  });
  const { nonce } = (await strict.call('POST', '/web3/nonce')).body;
  const wallet = makeEthereumWallet();
  const withNonce = (text: string) => strict.post(GRANT, wallet.body({ lines: [`Nonce: ${text}`] }));
  const foreign = {
    error: 'invalid_grant',
    msg: 'Signed Ethereum message has a nonce that was not given out, or has expired',
  };
  for (const text of ['', '12345678', nonce.replace(/.$/, (last: string) => (last === '0' ? '1' : '0'))]) {
    t.match((await withNonce(text)).body, foreign);
  }
  t.equal((await withNonce(nonce)).status, 200);
  t.match((await withNonce(nonce)).body, { msg: 'Signed Ethereum message was used before' }, 'a nonce counts once');
  // As many people as there are messages, and one nonce.
  const { nonce: shared } = (await strict.call('POST', '/web3/nonce')).body;
  const both = [makeEthereumWallet(), makeSolanaWallet(), makeEthereumWallet(), makeSolanaWallet()];
  const answers = await Promise.all(both.map((one) => strict.post(GRANT, one.body({ lines: [`Nonce: ${shared}`] }))));
  t.same(answers.map(({ status }) => status).sort(), [200, 400, 400, 400], 'also at the same time');
  const closed = await openTestServer(t, {
    ...walletSettings,
    DB_DATABASE_URL: off.database.url,
    DISABLE_SIGNUP: 'true',
  });
  t.match((await closed.post(GRANT, makeEthereumWallet().body())).body, { error_code: 'signup_disabled' });
  t.equal((await closed.post(GRANT, wallet.body())).status, 200, 'who has an account signs in');
});
