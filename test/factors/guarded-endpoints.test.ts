import { createHash, randomBytes } from 'node:crypto';
import { endpoints } from '../../src/server/endpoints/index.js';
import { adminToken } from '../support/admin.js';
import { Authenticator } from '../support/authenticator.js';
import { enrolTotp, openApp, type Session, verifyWith } from '../support/authenticator-app.js';
import { testNumbers } from '../support/change-phone.js';
import { type Browser, openExternalFlow } from '../support/external-flow.js';
import { openFakeIdp } from '../support/fake-saml-idp.js';
import { addClient, authorize } from '../support/oauth-client.js';
import { addDeviceClient, beginDevice } from '../support/oauth-device.js';
import { beginRegistration, passkeySettings, tryRegister } from '../support/passkeys.js';
import { freshEmail, password } from '../support/server.js';
import { t } from '../support/tap.js';
import { makeSolanaWallet, walletSettings } from '../support/wallets.js';

const NUMBER = '15550003333';

const flow = await openExternalFlow(t, ['github', 'google'], {
  SECURITY_MANUAL_LINKING_ENABLED: 'true',
  MAILER_AUTOCONFIRM: 'true',
  EXTERNAL_PHONE_ENABLED: 'true',
  SMS_MAX_FREQUENCY: '0',
  ...testNumbers(NUMBER),
  MFA_RECOVERY_CODES_ENROLL_ENABLED: 'true',
  MFA_RECOVERY_CODES_VERIFY_ENABLED: 'true',
  MFA_RATE_LIMIT_CHALLENGE_AND_VERIFY: '1000',
  SECURITY_STEP_UP_MAX_AGE: '10m',
  ...passkeySettings,
  ...walletSettings,
  ORGANIZATIONS_ENABLED: 'true',
  SCIM_ENABLED: 'true',
  OAUTH_SERVER_ENABLED: 'true',
  OAUTH_SERVER_AUTHORIZATION_PATH: '/consent',
  OAUTH_SERVER_DEVICE_GRANT_ENABLED: 'true',
  OAUTH_SERVER_DEVICE_PATH: '/device',
});
const { call, post } = flow;
let subjects = 0;

/** A user with an authenticator app and two sessions. */
interface Account {
  readonly factorId: string;
  readonly nextCode: () => string;
  /** At AAL2. */
  readonly raised: Session;
  /** Has only the password. */
  readonly low: Session;
}

const ok = async (answer: ReturnType<typeof call>) => {
  const { status, body } = await answer;
  if (status >= 300) throw new Error(`Preparation failed: ${status} ${JSON.stringify(body)}`);
  return body;
};

async function openAccount(prepare: (first: Session) => Promise<unknown> = async () => {}): Promise<Account> {
  const email = freshEmail();
  const first: Session = await ok(post('/signup', { email, password }));
  await prepare(first);
  const { id: factorId, secret } = await enrolTotp(flow, first);
  const { nextCode } = openApp(secret);
  const raised: Session = await ok(verifyWith(flow, first, factorId, nextCode()));
  const low: Session = await ok(post('/token?grant_type=password', { email, password }));
  return { factorId, nextCode, raised, low };
}

async function linkByIdToken(bearer: string) {
  const claims = { sub: `guarded-${subjects++}`, email: freshEmail(), email_verified: true };
  const id_token = await flow.providers.idToken('google', claims);
  return call('POST', '/token?grant_type=id_token', {
    body: { id_token, provider: 'google', link_identity: true },
    bearer,
  });
}

/** A request that changes who can get in. It is sent at AAL1 and at AAL2. */
interface Guarded {
  readonly path: string;
  readonly body?: object;
}
type Prepare = (account: Account) => Promise<Guarded> | Guarded;

const ownerOf = ({ user, access_token }: Session) => ({ id: user.id, email: user.email, bearer: access_token });

const beginFactor = ({ raised }: Account) => enrolTotp(flow, raised, { friendly_name: `app ${subjects++}` });
const withCodes =
  (path: string): Prepare =>
  async ({ raised }) => {
    await ok(call('POST', '/factors/recovery-codes', { bearer: raised.access_token }));
    return { path };
  };

/** By the id of the endpoint. One that asks for a second factor and is not here fails the test. */
const requests: Record<string, readonly Prepare[]> = {
  updateUser: [
    () => ({ path: '/user', body: { password: 'another correct horse' } }),
    () => ({ path: '/user', body: { email: freshEmail() } }),
    () => ({ path: '/user', body: { phone: NUMBER } }),
  ],
  enrollFactor: [() => ({ path: '/factors', body: { factor_type: 'totp', friendly_name: 'another' } })],
  challengeFactor: [async (account) => ({ path: `/factors/${(await beginFactor(account)).id}/challenge` })],
  verifyFactor: [
    async (account) => {
      const { id, secret } = await beginFactor(account);
      const bearer = account.raised.access_token;
      const challenge = await ok(call('POST', `/factors/${id}/challenge`, { bearer }));
      // As if the session had opened it before it was lowered, or before there was a verified factor.
      await moveChallenge(challenge.id, account.low);
      return { path: `/factors/${id}/verify`, body: { challenge_id: challenge.id, code: openApp(secret).nextCode() } };
    },
  ],
  beginPasskeyRegistration: [() => ({ path: '/passkeys/registration/options' })],
  finishPasskeyRegistration: [
    async ({ raised }) => {
      const { challenge_id, options } = await ok(beginRegistration(flow, ownerOf(raised)));
      const credential = new Authenticator().create(options);
      return { path: '/passkeys/registration/verify', body: { challenge_id, credential } };
    },
  ],
  deletePasskey: [
    async ({ raised }) => {
      const { body } = await tryRegister(flow, ownerOf(raised), new Authenticator());
      return { path: `/passkeys/${body.id}` };
    },
  ],
  unenrollFactor: [({ factorId }) => ({ path: `/factors/${factorId}` })],
  generateRecoveryCodes: [() => ({ path: '/factors/recovery-codes' })],
  regenerateRecoveryCodes: [withCodes('/factors/recovery-codes/regenerate')],
  deleteRecoveryCodes: [withCodes('/factors/recovery-codes')],
  removeTrustedDevices: [
    async (account) => {
      await insertDevice(account);
      return { path: '/trusted-devices' };
    },
  ],
  removeTrustedDevice: [async (account) => ({ path: `/trusted-devices/${await insertDevice(account)}` })],
  linkIdentity: [() => ({ path: '/user/identities/authorize?provider=github&skip_http_redirect=true' })],
  linkWallet: [() => ({ path: '/user/identities/web3', body: makeSolanaWallet().body() })],
  unlinkIdentity: [
    async ({ raised }) => {
      const { identities } = await ok(call('GET', '/user', { bearer: raised.access_token }));
      const google = identities.find(({ provider }: { provider: string }) => provider === 'google');
      return { path: `/user/identities/${google.identity_id}` };
    },
  ],
  decideOauthAuthorization: [
    async ({ raised }) => {
      const { location } = await authorize(flow, { clientId: (await addClient(flow)).id });
      const path = `/oauth/authorizations/${location.searchParams.get('authorization_id')}`;
      await ok(call('GET', path, { bearer: raised.access_token }));
      return { path: `${path}/consent`, body: { action: 'approve' } };
    },
  ],
  deleteOrganization: [
    async ({ raised }) => {
      const { id, slug } = await foundOrganization(raised);
      return { path: `/organizations/${id}`, body: { slug } };
    },
  ],
  updateOrganization: [
    async ({ raised }) => ({
      path: `/organizations/${(await foundOrganization(raised)).id}`,
      body: { policies: { session_hours: 12 } },
    }),
  ],
  updateOrganizationMember: [
    async ({ raised }) => {
      const { id } = await foundOrganization(raised);
      const { user } = await ok(post('/signup', { email: freshEmail(), password }));
      await ok(
        call('POST', `/admin/organizations/${id}/members`, { bearer: adminToken(), body: { user_id: user.id } }),
      );
      return { path: `/organizations/${id}/members/${user.id}`, body: { roles: ['owner'] } };
    },
  ],
  inviteOrganizationMembers: [
    async ({ raised }) => ({
      path: `/organizations/${(await foundOrganization(raised)).id}/invitations`,
      body: { email: freshEmail(), roles: ['owner'] },
    }),
  ],
  resendOrganizationInvitation: [
    async ({ raised }) => {
      const path = `/organizations/${(await foundOrganization(raised)).id}/invitations`;
      const body = { email: freshEmail(), roles: ['owner'] };
      const { id } = await ok(call('POST', path, { bearer: raised.access_token, body }));
      return { path: `${path}/${id}/resend` };
    },
  ],
  addOrganizationDomain: [
    async ({ raised }) => ({
      path: `/organizations/${(await foundOrganization(raised)).id}/domains`,
      body: { domain: 'guarded.example.com', auto_join: true },
    }),
  ],
  updateOrganizationDomain: [
    async ({ raised }) => {
      const path = `/organizations/${(await foundOrganization(raised)).id}/domains`;
      await ok(call('POST', path, { bearer: raised.access_token, body: { domain: 'guarded.example.com' } }));
      return { path: `${path}/guarded.example.com`, body: { auto_join: true } };
    },
  ],
  createOrganizationSsoProvider: [
    async ({ raised }) => {
      const { path } = await addSsoProvider(raised);
      return { path, body: { type: 'saml', metadata_xml: openFakeIdp(`idp${subjects++}.example`).metadata() } };
    },
  ],
  updateOrganizationSsoProvider: [
    async ({ raised }) => {
      const { path, providerId } = await addSsoProvider(raised);
      return { path: `${path}/${providerId}`, body: { disabled: true } };
    },
  ],
  deleteOrganizationSsoProvider: [
    async ({ raised }) => {
      const { path, providerId } = await addSsoProvider(raised);
      return { path: `${path}/${providerId}` };
    },
  ],
  addOrganizationClient: [
    async ({ raised }) => ({ path: (await addOrganizationClient(raised)).path, body: machineClient }),
  ],
  updateOrganizationClient: [
    async ({ raised }) => {
      const { path, clientId } = await addOrganizationClient(raised);
      return { path: `${path}/${clientId}`, body: { client_name: 'Other' } };
    },
  ],
  regenerateOrganizationClientSecret: [
    async ({ raised }) => {
      const { path, clientId } = await addOrganizationClient(raised);
      return { path: `${path}/${clientId}/regenerate_secret` };
    },
  ],
  createOrganizationScimToken: [
    async ({ raised }) => {
      const { id } = await foundOrganization(raised);
      return { path: `/organizations/${id}/scim_tokens` };
    },
  ],
  putOrganizationScimGroupRoles: [
    async ({ raised }) => ({
      path: `/organizations/${(await foundOrganization(raised)).id}/scim_group_roles`,
      body: { group: 'Engineers', roles: ['admin'] },
    }),
  ],
  decideOauthDevice: [
    async () => {
      const { user_code } = await beginDevice(flow, await addDeviceClient(flow));
      return { path: `/oauth/device/${user_code}/consent`, body: { action: 'approve' } };
    },
  ],
};

const foundOrganization = ({ access_token: bearer }: Session) =>
  ok(call('POST', '/organizations', { bearer, body: { name: `Company ${subjects++}` } }));

const machineClient = { client_name: 'Key', grant_types: ['client_credentials'] };

/** An organization of the user with a client. */
async function addOrganizationClient(session: Session): Promise<{ path: string; clientId: string }> {
  const { id } = await foundOrganization(session);
  const path = `/organizations/${id}/clients`;
  const made = await ok(call('POST', path, { bearer: session.access_token, body: machineClient }));
  return { path, clientId: made.client_id };
}

/** An organization of the user with an identity provider. */
async function addSsoProvider(session: Session): Promise<{ path: string; providerId: string }> {
  const { id } = await foundOrganization(session);
  const { rows } = await flow.database.admin.query(
    `insert into sso_providers (organization_id, entity_id, metadata_xml, metadata)
    values ($1, $2, '', '{"certificates": []}') returning id`,
    [id, `https://idp${subjects++}.example`],
  );
  return { path: `/organizations/${id}/sso`, providerId: rows[0].id };
}

async function insertDevice({ factorId, raised }: Account): Promise<string> {
  const { rows } = await flow.database.admin.query(
    `insert into mfa_trusted_devices (user_id, factor_id, token_hash, expires_at)
    values ($1, $2, gen_random_uuid()::text, now() + interval '1 day') returning id`,
    [raised.user.id, factorId],
  );
  return rows[0].id;
}

const sessionIdOf = ({ access_token }: Session): string =>
  JSON.parse(Buffer.from(access_token.split('.')[1]!, 'base64url').toString()).session_id;

const moveChallenge = (id: string, session: Session) =>
  flow.database.admin.query('update mfa_challenges set session_id = $2 where id = $1', [id, sessionIdOf(session)]);

/** Moves the times at which the session's methods were used to that many seconds ago. */
const age = (session: Session, seconds: number) =>
  flow.database.admin.query(
    `update sessions set amr = (
      select jsonb_agg(e || jsonb_build_object('timestamp', extract(epoch from now())::bigint - $2::bigint) order by n)
      from jsonb_array_elements(amr) with ordinality as entry (e, n))
    where id = $1`,
    [sessionIdOf(session), seconds],
  );

async function renew(id: string, { raised, factorId, nextCode }: Account): Promise<unknown> {
  // A verification would delete the factor that was begun.
  if (id === 'challengeFactor') return age(raised, 0);
  return ok(verifyWith(flow, raised, factorId, nextCode()));
}

/** Everything that decides who can get into an account. */
async function readAccess(userId: string): Promise<unknown> {
  const { rows } = await flow.database.admin.query(
    `select to_jsonb(u) as account,
      (select jsonb_agg(to_jsonb(i) order by i.id) from identities i where i.user_id = u.id) as identities,
      (select jsonb_agg(to_jsonb(f) order by f.id) from mfa_factors f where f.user_id = u.id) as factors,
      (select jsonb_agg(to_jsonb(r) order by r.id)
        from mfa_factors f join mfa_recovery_codes r on r.factor_id = f.id where f.user_id = u.id) as codes,
      (select jsonb_agg(to_jsonb(p) order by p.id) from passkeys p where p.user_id = u.id) as passkeys,
      (select jsonb_agg(to_jsonb(d) order by d.id) from mfa_trusted_devices d where d.user_id = u.id) as devices,
      (select jsonb_agg(to_jsonb(s) order by s.id) from sessions s where s.user_id = u.id) as sessions,
      (select jsonb_agg(to_jsonb(o) order by o.id) from one_time_tokens o where o.user_id = u.id) as tokens,
      (select jsonb_agg(to_jsonb(l) order by l.id) from flow_states l where l.linking_target_id = u.id) as links
    from users u where u.id = $1`,
    [userId],
  );
  return rows[0];
}

const ofUsers = endpoints.filter(({ caller }) => caller === 'user');

t.test('endpoints of users that ask for no second factor', async (t) => {
  t.same(
    ofUsers.filter(({ secondFactor }) => secondFactor !== 'asked').map(({ id }) => id),
    // They read, end sessions, send what only the owner of an address gets, or raise a session.
    [
      ...['sendNonce', 'getUser', 'getRecoveryCodes', 'verifyRecoveryCode', 'listTrustedDevices', 'getTrustedDevice'],
      ...['listPasskeys', 'getPasskeySignal', 'renamePasskey'],
      // They change nothing about who can get into the account.
      ...['createOrganization', 'listOrganizations', 'getOrganization'],
      ...['activateOrganization', 'deactivateOrganization'],
      ...['listOrganizationMembers', 'removeOrganizationMember', 'listOrganizationRoles'],
      ...['listOrganizationInvitations', 'revokeOrganizationInvitation'],
      ...['listInvitations', 'acceptInvitation', 'declineInvitation'],
      ...['listOrganizationDomains', 'verifyOrganizationDomain', 'removeOrganizationDomain'],
      ...['listOrganizationSsoProviders', 'getOrganizationSsoProvider', 'refreshOrganizationSsoProvider'],
      ...['listOrganizationAudit', 'listOrganizationClients', 'getOrganizationClient', 'removeOrganizationClient'],
      ...['listOrganizationScimTokens', 'deleteOrganizationScimToken', 'listOrganizationScimGroupRoles'],
      'deleteOrganizationScimGroupRoles',
      ...['signOut'],
      ...['getOauthAuthorization', 'getOauthDevice', 'oauthUserinfo', 'oauthUserinfoByPost'],
      ...['listOauthGrants', 'revokeOauthGrant'],
    ],
  );
});

for (const { id, method } of ofUsers.filter(({ secondFactor }) => secondFactor === 'asked')) {
  t.test(`${id} needs AAL2, verified lately, once there is a verified factor`, async (t) => {
    const prepared = requests[id] ?? [];
    t.ok(prepared.length > 0, 'this test knows a request of the endpoint');
    for (const prepare of prepared) {
      const account = await openAccount((first) =>
        id === 'unlinkIdentity' ? ok(linkByIdToken(first.access_token)) : Promise.resolve(),
      );
      const { low, raised } = account;
      const { path, body } = await prepare(account);
      const request = (session: Session) => call(method, path, { body, bearer: session.access_token });
      const before = await readAccess(low.user.id);
      const refused = await request(low);
      t.equal(refused.body.error_code, 'insufficient_aal', JSON.stringify(body ?? path));
      t.same(await readAccess(low.user.id), before, 'nothing changes');
      if (id === 'verifyFactor') await moveChallenge((body as { challenge_id: string }).challenge_id, raised);
      // A verification needs a challenge of the same session, which asks for the age.
      if (id !== 'verifyFactor') {
        await age(raised, 601);
        const aged = await readAccess(low.user.id);
        t.match(await request(raised), { status: 403, body: { error_code: 'mfa_step_up_required', max_age: 600 } });
        t.same(await readAccess(low.user.id), aged, 'nothing changes');
        await renew(id, account);
      }
      const accepted = await request(raised);
      t.ok([200, 201, 204].includes(accepted.status), JSON.stringify(accepted.body));
    }
  });
}

t.test('an organization changes at AAL1 where that makes no owner, sets no policy and lets no one join', async (t) => {
  const { raised, low } = await openAccount();
  const path = `/organizations/${(await foundOrganization(raised)).id}`;
  const change = async (method: string, rest: string, body: object) =>
    t.ok((await call(method, path + rest, { bearer: low.access_token, body })).status < 300, `${method} ${rest}`);
  await change('PATCH', '', { name: 'Other' });
  await change('PATCH', `/members/${raised.user.id}`, { roles: ['member', 'owner'] });
  await change('POST', '/invitations', { email: freshEmail(), roles: ['admin'] });
  await change('POST', '/domains', { domain: 'guarded.example.com', roles: ['admin'] });
  await change('PATCH', '/domains/guarded.example.com', { auto_join: false });
});

t.test('an identity is linked by an ID token at AAL2 only', async (t) => {
  const { low, raised } = await openAccount();
  const before = await readAccess(low.user.id);
  t.match(await linkByIdToken(low.access_token), { status: 403, body: { error_code: 'insufficient_aal' } });
  t.same(await readAccess(low.user.id), before);
  t.equal((await linkByIdToken(raised.access_token)).status, 200);
});

const makePkce = () => {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
};

async function beginLink(browser: Browser, { access_token }: Session, codeChallenge?: string) {
  const query = new URLSearchParams({
    ...{ provider: 'github', skip_http_redirect: 'true' },
    ...(codeChallenge !== undefined && { code_challenge: codeChallenge, code_challenge_method: 's256' }),
  });
  const response = await browser.open(`/user/identities/authorize?${query}`, {
    headers: { authorization: `Bearer ${access_token}` },
  });
  const { url } = (await response.json()) as { url: string };
  const as = flow.providers.person('github', { email: freshEmail(), subject: 4_500 + subjects++ });
  return flow.providers.signIn(url, { as });
}

/** Lowers the session that was at AAL2: its factor goes, while another session has verified another one. */
async function exchangeLevels({ factorId, nextCode, raised, low }: Account): Promise<void> {
  const second: Session = await ok(verifyWith(flow, low, factorId, nextCode()));
  const { id, secret } = await enrolTotp(flow, second, { friendly_name: 'second' });
  await ok(verifyWith(flow, second, id, openApp(secret).nextCode()));
  await ok(call('DELETE', `/admin/users/${raised.user.id}/factors/${factorId}`, { bearer: adminToken() }));
}

const refusal = { error_code: 'insufficient_aal' };

t.test('a link is completed at AAL2 only, although it was begun there', async (t) => {
  const account = await openAccount();
  const { raised } = account;
  const browser = flow.openBrowser();
  const { verifier, challenge } = makePkce();
  const exchange = (code: string) => post('/token?grant_type=pkce', { auth_code: code, code_verifier: verifier });
  const [kept, redirected] = [await beginLink(browser, raised, challenge), await beginLink(browser, raised)];
  const code = (await browser.comeBack(kept)).query.get('code')!;
  await exchangeLevels(account);

  const before = await readAccess(raised.user.id);
  t.match(await exchange(code), { status: 403, body: refusal });
  const landing = await browser.comeBack(redirected);
  t.equal(landing.query.get('error_code'), 'insufficient_aal');
  t.notOk(landing.fragment.has('access_token'));
  const { identities } = before as { identities: unknown[] };
  t.same(((await readAccess(raised.user.id)) as { identities: unknown[] }).identities, identities);
});

t.test('a link is completed at AAL2', async (t) => {
  const { raised } = await openAccount();
  const browser = flow.openBrowser();
  const { verifier, challenge } = makePkce();
  const landing = await browser.comeBack(await beginLink(browser, raised, challenge));
  const body = { auth_code: landing.query.get('code'), code_verifier: verifier };
  t.equal((await post('/token?grant_type=pkce', body)).status, 200);
  t.equal((await browser.comeBack(await beginLink(browser, raised))).fragment.get('provider'), 'github');
});
