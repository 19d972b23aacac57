/** Sign-in with a wallet: what works, and what becomes of it. */
import { openAccountPage } from '../support/account-page.js';
import { openAdminServer } from '../support/admin.js';
import { claimsOf } from '../support/passkeys.js';
import { freshEmail, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';
import {
  type MessageParts,
  makeEthereumWallet,
  makeSolanaWallet,
  type SignedBody,
  walletSettings,
} from '../support/wallets.js';

const GRANT = '/token?grant_type=web3';

t.test('with one server', async (t) => {
  const server = await openAdminServer(t, {
    ...walletSettings,
    SECURITY_MANUAL_LINKING_ENABLED: 'true',
    EXTERNAL_ANONYMOUS_USERS_ENABLED: 'true',
    PAGES_ENABLED: 'true',
  });
  const { post, call, audit } = server;
  const signIn = (body: unknown) => post(GRANT, body);

  t.test('a wallet of Ethereum signs up and in', async (t) => {
    const wallet = makeEthereumWallet();
    const statement = 'I accept the terms.';
    const first = await signIn(wallet.body({ statement }));
    t.equal(first.status, 200, JSON.stringify(first.body));
    const { user } = first.body;
    const subject = `web3:ethereum:${wallet.address.toLowerCase()}`;
    const custom_claims = {
      address: wallet.checksumAddress,
      chain: 'ethereum',
      network: '1',
      domain: 'localhost:3000',
      statement,
    };
    t.match(user, {
      email: '',
      phone: '',
      is_anonymous: false,
      app_metadata: { provider: 'web3', providers: ['web3'] },
      user_metadata: { sub: subject, custom_claims },
      identities: [{ provider: 'web3', id: subject, identity_data: { sub: subject, custom_claims } }],
    });
    t.match(claimsOf(first.body.access_token)['amr'], [{ method: 'web3' }]);
    t.equal(claimsOf(first.body.access_token)['aal'], 'aal1');

    const spellings = [wallet.address.toLowerCase(), `0x${wallet.address.slice(2).toUpperCase()}`];
    for (const address of spellings) {
      const again = await signIn(wallet.body({ address, chainId: null }));
      t.equal(again.body.user.id, user.id, 'one person, however the address is written');
      t.equal(again.body.user.identities.length, 1);
    }
    const entries = (await audit()).filter(({ actor_id }) => actor_id === user.id);
    t.match(entries[0], { action: 'user_signedup', traits: { provider: 'web3', chain: 'ethereum' } });
    t.match(entries[1], {
      action: 'login',
      traits: {
        provider: 'web3',
        chain: 'ethereum',
        network: '',
        address: spellings[0],
        domain: 'localhost:3000',
        uri: 'http://localhost:3000/',
      },
    });
    const refreshed = await post('/token?grant_type=refresh_token', { refresh_token: first.body.refresh_token });
    t.equal(refreshed.status, 200);
    t.match(claimsOf(refreshed.body.access_token)['amr'], [{ method: 'web3' }]);
  });

  t.test('a wallet of Solana signs up and in, also on a Ledger device', async (t) => {
    const wallet = makeSolanaWallet();
    const first = await signIn(wallet.body());
    t.equal(first.status, 200, JSON.stringify(first.body));
    t.match(first.body.user.identities, [{ provider: 'web3', id: `web3:solana:${wallet.address}` }]);
    t.match(first.body.user.user_metadata.custom_claims, { chain: 'solana', network: 'solana:mainnet', statement: '' });
    const message = wallet.write();
    const onLedger = { chain: 'solana', message, signature: wallet.signOnLedger(message, 'localhost:3000') };
    t.equal((await signIn(onLedger)).body.user?.id, first.body.user.id);
    const padded = wallet.body({ chainId: null });
    const signature = `${padded.signature.replaceAll('-', '+').replaceAll('_', '/')}==`;
    t.equal((await signIn({ ...padded, signature })).body.user?.id, first.body.user.id);
    for (const network of ['mainnet', 'devnet', 'testnet', 'localnet']) {
      const { user } = (await signIn(wallet.body({ chainId: `solana:${network}` }))).body;
      t.match(user, { id: first.body.user.id, user_metadata: { custom_claims: { network: `solana:${network}` } } });
    }
    const elsewhere = wallet.write();
    const wrong = { chain: 'solana', message: elsewhere, signature: wallet.signOnLedger(elsewhere, 'other.example') };
    t.match((await signIn(wrong)).body, { error: 'invalid_grant' }, 'the device signs the domain, too');
  });

  t.test('what the text of Ethereum may look like', async (t) => {
    const wallet = makeEthereumWallet();
    const accepted: Readonly<Record<string, MessageParts>> = {
      'a scheme before the domain': { domain: 'http://localhost:3000' },
      'unknown keys': { lines: ['Mood: good'] },
      resources: { lines: ['Resources:', '- https://example.com/terms', '- ipfs://abc'] },
      'a heading of resources without its colon': { lines: ['Resources', '- https://example.com/terms'] },
      'blank lines': { lines: ['', 'Request ID: 7', ''] },
      'a time with an offset': { issuedAt: new Date(Date.now() + 7_200_000).toISOString().replace('Z', '+02:00') },
      'letters of other scripts': { statement: 'Ich bin’s, 你好 👩‍💻' },
      'a wallet that writes v as 0 or 1': {},
    };
    for (const [name, parts] of Object.entries(accepted)) {
      const { chain, message, signature } = wallet.body(parts);
      const written = name.includes('0 or 1')
        ? `${signature.slice(2, -2)}0${Number(signature.endsWith('1c'))}`
        : signature;
      t.equal((await signIn({ chain, message, signature: written })).status, 200, name);
    }
  });

  t.test('a message signs in once, however often it arrives at once', async (t) => {
    const body = makeEthereumWallet().body();
    const answers = await Promise.all(Array.from({ length: 8 }, () => signIn(body)));
    const statuses = answers.map(({ status }) => status).sort();
    t.same(statuses, [200, ...Array.from({ length: 7 }, () => 400)]);
    const reason = 'Signed Ethereum message was used before';
    t.match(answers.find(({ status }) => status === 400)!.body, {
      error: 'invalid_grant',
      error_description: reason,
      error_code: 'invalid_credentials',
      msg: reason,
    });
    const other = await openTestServer(t, { ...walletSettings, DB_DATABASE_URL: server.database.url });
    t.match((await other.post(GRANT, body)).body, { msg: reason }, 'also at another instance');
    const spelled = { ...body, signature: body.signature.slice(2).toUpperCase() };
    t.match((await signIn(spelled)).body, { msg: reason }, 'however the signature is written');
  });

  t.test('two first sign-ins at once make one account', async (t) => {
    const wallet = makeEthereumWallet();
    const bodies = [wallet.body(), wallet.body({ address: wallet.address.toLowerCase() }), wallet.body()];
    const answers = await Promise.all(bodies.map(signIn));
    t.same(new Set(answers.map(({ body }) => body.user?.id)).size, 1);
  });

  t.test('a person who came from supabase/auth keeps the account', async (t) => {
    const wallet = makeEthereumWallet();
    const { body } = await signIn(wallet.body());
    const lower = wallet.address.toLowerCase();
    const upper = `0x${lower.slice(2).toUpperCase()}`;
    for (const kept of [wallet.checksumAddress, upper, lower]) {
      const old = `web3:ethereum:${kept}`;
      const values = [old, body.user.id];
      await server.database.admin.query('update identities set provider_id = $1 where user_id = $2', values);
      for (const address of [wallet.checksumAddress, upper, lower]) {
        const again = await signIn(wallet.body({ address }));
        t.equal(again.body.user.id, body.user.id, `${kept}, signed as ${address}`);
        t.match(again.body.user.identities, [{ id: old }]);
      }
    }
  });

  t.test('a wallet is added to an account, and removed', async (t) => {
    const email = freshEmail();
    const { body: owner } = await post('/signup', { email, password });
    const link = (body: SignedBody, bearer?: string) => call('POST', '/user/identities/web3', { body, bearer });
    const wallet = makeSolanaWallet();
    t.equal((await link(wallet.body())).status, 401);
    const added = await link(wallet.body(), owner.access_token);
    t.equal(added.status, 200, JSON.stringify(added.body));
    t.equal(added.body.user.id, owner.user.id);
    t.same(added.body.user.app_metadata.providers, ['email', 'web3']);
    t.equal((await signIn(wallet.body())).body.user.id, owner.user.id);

    t.match((await link(wallet.body(), owner.access_token)).body, { error_code: 'identity_already_exists' });
    const { body: other } = await signIn(makeEthereumWallet().body());
    t.match((await link(wallet.body(), other.access_token)).body, {
      error_code: 'identity_already_exists',
      msg: 'Identity is already linked to another user',
    });
    const page = await openAccountPage(server.url, email, 'identities');
    t.match(page.html, wallet.address, 'the account page tells wallets apart');
    const identity = added.body.user.identities.find(({ provider }: { provider: string }) => provider === 'web3');
    const path = `/user/identities/${identity.identity_id}`;
    t.equal((await call('DELETE', path, { bearer: owner.access_token })).status, 200);
    t.not((await signIn(wallet.body())).body.user.id, owner.user.id, 'a new account');
    const [only] = other.user.identities;
    t.match((await call('DELETE', `/user/identities/${only.identity_id}`, { bearer: other.access_token })).body, {
      error_code: 'single_identity_not_deletable',
    });
  });

  t.test('an anonymous user with a wallet is anonymous no longer', async (t) => {
    const { body: nobody } = await post('/signup', {});
    t.equal(nobody.user.is_anonymous, true);
    const wallet = makeEthereumWallet();
    const { body } = await call('POST', '/user/identities/web3', { body: wallet.body(), bearer: nobody.access_token });
    t.match(body.user, { id: nobody.user.id, is_anonymous: false });
    t.equal(claimsOf(body.access_token)['is_anonymous'], false);
    t.equal((await signIn(wallet.body())).body.user.id, nobody.user.id);
  });

  t.test('a banned user stays out', async (t) => {
    const wallet = makeEthereumWallet();
    const { body } = await signIn(wallet.body());
    await server.admin('PUT', `/admin/users/${body.user.id}`, { ban_duration: '1h' });
    t.match((await signIn(wallet.body())).body, { error_code: 'user_banned' });
  });

  t.test('settings and a nonce', async (t) => {
    const { external } = (await call('GET', '/settings')).body;
    t.match(external, { web3_ethereum: true, web3_solana: true });
    const { status, body, headers } = await call('POST', '/web3/nonce');
    t.equal(status, 200);
    t.match(body.nonce, /^[0-9a-f]{32}$/);
    t.equal(headers.get('cache-control'), 'no-store');
    const validSeconds = body.expires_at - Date.now() / 1000;
    t.ok(validSeconds > 590 && validSeconds <= 601, `${validSeconds}`);
  });
});
