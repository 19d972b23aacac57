import { openMailFlow } from '../support/mail-flows.js';
import { freshEmail, password } from '../support/server.js';
import { t } from '../support/tap.js';

t.test('SEC-38: a token is valid for its purpose and recipient only, and a newer one replaces it', async (t) => {
  const flow = await openMailFlow(t, { SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION: 'true' });
  const { call, post } = flow;

  /** Each kind of token: how it is requested, and the types that may redeem it. */
  const kinds: Record<string, { ask: (email: string) => Promise<string | undefined>; types: string[] }> = {
    confirmation: {
      ask: async (email) => void (await post('/signup', { email, password })),
      types: ['signup', 'invite', 'email'],
    },
    'pending sign-up': {
      ask: async (email) => void (await post('/otp', { email })),
      types: ['signup', 'invite', 'email'],
    },
    recovery: {
      ask: async (email) => {
        await confirmed(email);
        await post('/recover', { email });
        return undefined;
      },
      types: ['recovery', 'magiclink', 'email'],
    },
    'magic link': {
      ask: async (email) => {
        await confirmed(email);
        await post('/magiclink', { email });
        return undefined;
      },
      types: ['recovery', 'magiclink', 'email'],
    },
    'email change': {
      ask: async (email) => {
        const bearer = await confirmed(email);
        const next = freshEmail();
        await call('PUT', '/user', { bearer, body: { email: next } });
        return next;
      },
      types: ['email_change'],
    },
    reauthentication: {
      ask: async (email) => {
        const bearer = await confirmed(email);
        await call('GET', '/reauthenticate', { bearer });
        return undefined;
      },
      types: [],
    },
  };
  const allTypes = ['signup', 'invite', 'recovery', 'magiclink', 'email', 'email_change', 'sms', 'phone_change'];

  async function confirmed(email: string): Promise<string> {
    await post('/signup', { email, password });
    const followed = await flow.follow((await flow.nextMail(email)).link!);
    return followed.fragment.get('access_token')!;
  }

  for (const [name, { ask, types }] of Object.entries(kinds)) {
    const email = freshEmail();
    const recipient = (await ask(email)) ?? email;
    const { code, link } = await flow.nextMail(recipient);
    const token_hash = link?.searchParams.get('token') ?? 'a'.repeat(56);
    for (const type of allTypes.filter((type) => !types.includes(type))) {
      const byCode = await post('/verify', { type, email: recipient, token: code });
      t.equal(byCode.status, 403, `${name}: code as ${type}`);
      const byHash = await post('/verify', { type, token_hash });
      t.ok([400, 403].includes(byHash.status), `${name}: hash as ${type}`);
    }
    const foreign = await post('/verify', { type: types[0] ?? 'email', email: freshEmail(), token: code });
    t.equal(foreign.status, 403, `${name}: for another user`);
    t.equal((await post('/token?grant_type=pkce', { auth_code: token_hash, code_verifier: code })).status, 404);
    t.equal((await post('/token?grant_type=refresh_token', { refresh_token: token_hash })).status, 400);
    t.equal((await call('GET', '/user', { bearer: token_hash })).status, 403);
    if (types.length === 0) continue;
    const right = await post('/verify', { type: types[0], token_hash });
    t.equal(right.status, 200, `${name}: still good for ${types[0]}`);
  }

  const email = freshEmail();
  await confirmed(email);
  await post('/recover', { email });
  const older = await flow.nextMail(email);
  await post('/recover', { email });
  const newer = await flow.nextMail(email);
  t.equal((await flow.follow(older.link!)).fragment.get('error_code'), 'otp_expired', 'the older link is revoked');
  t.equal((await flow.follow(newer.link!)).fragment.get('type'), 'recovery');
});
