/** Wallets that are contracts (EIP-1271, ERC-6492), and servers of a chain that lie. */
import { openTestServer } from '../support/server.js';
import { startStubServer } from '../support/stub-server.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';
import { hashMessage, makeEthereumWallet, walletSettings } from '../support/wallets.js';

const GRANT = '/token?grant_type=web3';
const VALID = `0x1626ba7e${'0'.repeat(56)}`;
const CONTRACT = `0x${'ab'.repeat(20)}`;
const word = (value: number) => value.toString(16).padStart(64, '0');
const padded = (hex: string) => word(hex.length / 2) + hex.padEnd(Math.ceil(hex.length / 64) * 64, '0');

t.test('with one server', async (t) => {
  const rpc = await startStubServer(t);
  const calls: { method: string; params: [{ to: string; data: string }, string] }[] = [];
  let answer: unknown = { jsonrpc: '2.0', id: 1, result: VALID };
  let status = 200;
  let held: Promise<void> | undefined;
  rpc.answers.set('/rpc', async (request) => {
    calls.push(
      JSON.parse([...request.form.entries()].map(([key, value]) => (value === '' ? key : `${key}=${value}`)).join('&')),
    );
    await held;
    return { status, body: answer };
  });
  const { post } = await openTestServer(t, {
    ...walletSettings,
    OUTBOUND_PRIVATE_HOSTS: '127.0.0.1',
    EXTERNAL_WEB3_ETHEREUM_RPC_URLS: `1:${rpc.url}/rpc,10:${rpc.url}/rpc,137:https://10.0.0.1/,8453:http://127.0.0.1:9/`,
  });
  const wallet = makeEthereumWallet();
  const say = (result: unknown) => {
    answer = { jsonrpc: '2.0', id: 1, result };
  };
  const signIn = (chainId: string, signature = `0x${'cd'.repeat(100)}`, address = CONTRACT) => {
    const message = wallet.write({ address, chainId });
    return { message, answered: post(GRANT, { chain: 'ethereum', message, signature }) };
  };
  const unavailable = { status: 503, body: { error_code: 'service_unavailable' } };

  t.test('a contract signs in, and each chain has its own', async (t) => {
    const { message, answered } = signIn('1');
    const { body } = await answered;
    t.match(body.user?.identities, [{ provider: 'web3', id: `web3:ethereum:1:${CONTRACT}` }], JSON.stringify(body));
    const [call] = calls;
    const hash = Buffer.from(hashMessage(message)).toString('hex');
    t.equal(call!.method, 'eth_call');
    t.same(call!.params, [{ to: CONTRACT, data: `0x1626ba7e${hash}${word(64)}${padded('cd'.repeat(100))}` }, 'latest']);
    t.equal((await signIn('1').answered).body.user.id, body.user.id);
    t.not((await signIn('10').answered).body.user.id, body.user.id, 'it may belong to someone else there');
  });

  t.test('a key is never asked about', async (t) => {
    const before = calls.length;
    const key = makeEthereumWallet();
    t.match((await post(GRANT, key.body())).body.user.identities, [
      { id: `web3:ethereum:${key.address.toLowerCase()}` },
    ]);
    const late = makeEthereumWallet().write({ address: CONTRACT, issuedAt: '2020-01-01T00:00:00Z' });
    t.equal((await post(GRANT, { chain: 'ethereum', message: late, signature: `0x${'cd'.repeat(65)}` })).status, 400);
    t.equal(calls.length, before, 'nor about a message that is refused anyway');
    const elsewhere = await signIn('5', `0x${'cd'.repeat(65)}`).answered;
    t.match(elsewhere.body, { msg: 'Signature does not match address in message' }, 'a chain without a server');
    t.match((await signIn('5').answered).body, { error_code: 'validation_failed' });
  });

  t.test('it is asked at most 32 questions at a time', async (t) => {
    const before = calls.length;
    let release!: () => void;
    held = new Promise((resolve) => {
      release = resolve;
    });
    const waiting = Array.from({ length: 32 }, () => signIn('1').answered);
    await until(() => calls.length === before + 32);
    const refused = await signIn('1').answered;
    t.match(refused, unavailable);
    t.equal(refused.headers.get('retry-after'), '1');
    release();
    held = undefined;
    t.ok((await Promise.all(waiting)).every(({ status }) => status === 200));
    t.equal((await signIn('1').answered).status, 200, 'and again');
  });

  t.test('a contract that does not exist yet', async (t) => {
    const [factory, factoryData, inner] = ['ef'.repeat(20), '12'.repeat(40), '34'.repeat(65)];
    const wrapped = `${factory.padStart(64, '0')}${word(96)}${word(96 + 32 + 64)}${padded(factoryData)}${padded(inner)}${'6492'.repeat(16)}`;
    const tuple = (isDone: number, data: string) => word(isDone) + word(64) + padded(data);
    const both = (first: string, second: string) =>
      `0x${word(32)}${word(2)}${word(64)}${word(64 + first.length / 2)}${first}${second}`;
    const cases = [
      ['made and valid', both(tuple(1, ''), tuple(1, VALID.slice(2))), 200],
      ['made before', both(tuple(0, ''), tuple(1, VALID.slice(2))), 200],
      ['not valid', both(tuple(1, ''), tuple(1, word(0))), 400],
      ['failed', both(tuple(1, ''), tuple(0, VALID.slice(2))), 400],
      ['without the second answer', `0x${word(32)}${word(2)}${word(64)}`, 400],
      ['beyond the end', `0x${word(32)}${word(2)}${word(64)}${'f'.repeat(64)}`, 400],
      ['empty', '0x', 400],
    ] as const;
    for (const [name, result, expected] of cases) {
      say(result);
      t.equal((await signIn('1', `0x${wrapped}`).answered).status, expected, name);
    }
    const { to, data } = calls.at(-1)!.params[0];
    t.equal(to, '0xca11bde05977b3631167028862be2a173976ca11');
    t.ok(data.includes(factoryData) && data.includes(factory) && data.includes(padded(inner)));
    t.equal((await signIn('1', `0x${'6492'.repeat(16)}`).answered).status, 400, 'nothing inside');
  });

  t.test('a server of the chain that lies or fails', async (t) => {
    const refused = ['0x', word(1), `0x${word(1)}`, `${VALID}${word(0)}`, VALID.slice(0, 10)];
    for (const result of refused.filter((text) => text.startsWith('0x'))) {
      say(result);
      t.match((await signIn('1').answered).body, { error: 'invalid_grant' }, result);
    }
    answer = { jsonrpc: '2.0', id: 1, error: { code: 3, message: 'execution reverted' } };
    t.match((await signIn('1').answered).body, { error: 'invalid_grant' });
    const odd = [
      { jsonrpc: '2.0', id: 2, result: VALID },
      { jsonrpc: '2.0', id: 1, error: { code: -32005, message: 'limit exceeded' } },
      { jsonrpc: '2.0', id: 1, result: true },
      { jsonrpc: '2.0', id: 1, result: 'valid' },
      [],
      'null',
      '<h1>Hello</h1>',
      `"${'x'.repeat(70_000)}"`,
    ];
    for (const body of odd) {
      answer = body;
      t.match(await signIn('1').answered, unavailable, JSON.stringify(body).slice(0, 80));
    }
    say(VALID);
    status = 500;
    t.match(await signIn('1').answered, unavailable);
    status = 200;
    t.match(await signIn('137').answered, unavailable, 'a private address');
    t.match(await signIn('8453').answered, unavailable, 'nothing there');
    answer = undefined;
    t.match(await signIn('1').answered, unavailable, 'silent');
    say(VALID);
    t.equal((await signIn('1').answered).status, 200);
  });
});
