/** What guards a sign-in with a wallet as it guards the others: limits, captcha and hooks. */
import { startFakeCaptcha } from '../support/captcha.js';
import { hookSettingsOf, openHookReceiver } from '../support/hook-receiver.js';
import { claimsOf } from '../support/passkeys.js';
import { openTestServer } from '../support/server.js';
import { t } from '../support/tap.js';
import { openTripCounter, type TripCounter } from '../support/trip-counter.js';
import { makeEthereumWallet, makeSolanaWallet, walletSettings } from '../support/wallets.js';

const GRANT = '/token?grant_type=web3';
const BURST = 30;
const from = (client: string) => ({ 'X-Client': client });

t.test('the limit is one of its own, and comes first', async (t) => {
  const { call } = await openTestServer(t, {
    ...walletSettings,
    RATE_LIMIT_HEADER: 'X-Client',
    RATE_LIMIT_WEB3: '0.01',
    RATE_LIMIT_TOKEN_REFRESH: '0.01',
  });
  const send = (path: string, body: unknown, client = '192.0.2.1') =>
    call('POST', path, { body, headers: from(client) });
  const refresh = () => send('/token?grant_type=refresh_token', { refresh_token: 'none' });
  t.equal((await refresh()).status, 400);
  const answers = await Promise.all(Array.from({ length: BURST - 1 }, () => send(GRANT, { chain: 'solana' })));
  t.ok(answers.every(({ status }) => status === 400));
  t.equal((await send('/web3/nonce', {})).status, 200, 'counted together');
  const limited = { status: 429, body: { error_code: 'over_request_rate_limit' } };
  for (const path of [GRANT, '/web3/nonce']) t.match(await send(path, []), limited, path);
  t.equal((await refresh()).status, 400, 'other grants have theirs');
  t.equal((await send(GRANT, makeEthereumWallet().body(), '192.0.2.2')).status, 200, 'another client');
});

t.test('captcha', async (t) => {
  const captcha = await startFakeCaptcha(t, 'hcaptcha');
  const { post } = await openTestServer(t, { ...walletSettings, ...captcha.settings });
  const body = makeEthereumWallet().body();
  t.match((await post(GRANT, body)).body, { error_code: 'captcha_failed' });
  const solved = { ...body, gotrue_meta_security: { captcha_token: captcha.solve() } };
  t.equal((await post(GRANT, solved)).status, 200);
});

t.test('a sign-in takes three trips to the database, and a refused one none', async (t) => {
  let counter!: TripCounter;
  const server = await openTestServer(t, { ...walletSettings, DB_MAX_POOL_SIZE: '1' }, async (url) => {
    counter = await openTripCounter(t, new URL(url));
    return counter.url;
  });
  const least = { signIn: Number.POSITIVE_INFINITY, refused: Number.POSITIVE_INFINITY };
  const wallet = makeSolanaWallet();
  await server.post(GRANT, wallet.body());
  for (let round = 0; round < 5; round += 1) {
    const count = async (what: keyof typeof least, body: unknown, status: number) => {
      const trips = await counter.during(async () => t.equal((await server.post(GRANT, body)).status, status, what));
      least[what] = Math.min(least[what], trips);
    };
    await count('signIn', wallet.body(), 200);
    await count('refused', { ...wallet.body(), signature: makeSolanaWallet().body().signature }, 400);
  }
  t.same(least, { signIn: 3, refused: 0 });
});

t.test('hooks', async (t) => {
  const refused = makeSolanaWallet();
  const receiver = await openHookReceiver(t, ({ body }) => {
    if (body.metadata.name === 'customize-access-token') return { claims: { ...body.claims, plan: 'gold' } };
    const { address } = body.user.user_metadata.custom_claims;
    return address === refused.address ? { error: { http_code: 403, message: 'Not this one' } } : {};
  });
  const { post, database } = await openTestServer(t, {
    ...walletSettings,
    ...hookSettingsOf('CUSTOM_ACCESS_TOKEN', receiver.url),
    ...hookSettingsOf('BEFORE_USER_CREATED', receiver.url),
  });
  const { body } = await post(GRANT, makeEthereumWallet().body());
  t.equal(claimsOf(body.access_token)['plan'], 'gold');
  t.equal(receiver.calls.at(-1)!.body.authentication_method, 'web3');
  t.match(receiver.calls[0]!.body.user, { app_metadata: { provider: 'web3' }, is_anonymous: false });
  const signed = refused.body();
  t.match(await post(GRANT, signed), { status: 403, body: { msg: 'Not this one' } });
  t.match((await post(GRANT, signed)).body, { msg: 'Signed Solana message was used before' }, 'also by a refusal');
  t.equal((await database.admin.query('select count(*)::int as n from users')).rows[0].n, 1);
});
