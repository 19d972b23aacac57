import { asAdmin } from '../support/admin.js';
import { openFakeIdp, PERSISTENT } from '../support/fake-saml-idp.js';
import { openMailFlow } from '../support/mail-flows.js';
import { openSamlFlow } from '../support/saml-flow.js';
import { samlPrivateKey } from '../support/saml-keys.js';
import { freshEmail, password } from '../support/server.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

t.test('addresses of a company that enforces its sign-on have no password, code or link here', async (t) => {
  const flow = await openMailFlow(t, {
    SAML_ENABLED: 'true',
    SAML_PRIVATE_KEY: samlPrivateKey(),
    MAILER_AUTOCONFIRM: 'false',
    MAILER_SECURE_EMAIL_CHANGE_ENABLED: 'false',
    MAILER_NOTIFICATIONS_EMAIL_CHANGED_ENABLED: 'true',
    SMTP_MAX_FREQUENCY: '0s',
    RATE_LIMIT_EMAIL_SENT: '1000',
    ORGANIZATIONS_ENABLED: 'true',
  });
  const { post } = flow;
  const admin = asAdmin(flow);
  const domain = 'Acme.example';
  const [known, unknown] = [`ann@${domain}`, `nobody@${domain}`];
  await admin('POST', '/admin/users', { email: known, password, email_confirm: true });
  await post('/otp', { email: known });
  const { link, code } = await flow.nextMail(known.toLowerCase());
  const [moved, elsewhere] = [`bob@${domain}`.toLowerCase(), freshEmail()];
  await admin('POST', '/admin/users', { email: moved, password, email_confirm: true });
  const { body: bob } = await post('/token?grant_type=password', { email: moved, password });
  await flow.call('PUT', '/user', { bearer: bob.access_token, body: { email: elsewhere } });
  await flow.follow((await flow.nextMail(elsewhere)).link!);
  const { link: undo } = await flow.nextMail(moved);
  const { body: team } = await flow.call('POST', '/organizations', {
    bearer: bob.access_token,
    body: { name: 'Team' },
  });
  const invited = `carl@${domain}`.toLowerCase();
  const invitations = `/organizations/${team.id}/invitations`;
  await flow.call('POST', invitations, { bearer: bob.access_token, body: { email: invited } });
  const { link: invitation } = await flow.nextMail(invited);

  const idp = openFakeIdp();
  const metadata_xml = idp.metadata();
  const created = await admin('POST', '/admin/sso/providers', { type: 'saml', metadata_xml, domains: [domain] });
  const provider = created.body.id as string;
  t.equal((await post('/token?grant_type=password', { email: known, password })).status, 200, 'not enforced');
  const path = `/admin/sso/providers/${provider}`;
  t.match(await admin('PUT', path, { enforced: true }), { status: 200, body: { saml: { enforced: true } } });
  const isEnforced = async () => (await post('/token?grant_type=password', { email: known, password })).status === 422;
  await until(isEnforced);

  const requests = (email: string) => ({
    '/token?grant_type=password': { email, password },
    '/signup': { email, password },
    '/otp': { email },
    '/otp ': { email, create_user: false },
    '/magiclink': { email },
    '/recover': { email },
    '/resend': { type: 'signup', email },
    '/verify': { type: 'email', email, token: code },
  });
  for (const email of [known, unknown, known.toUpperCase()]) {
    for (const [where, body] of Object.entries(requests(email))) {
      const refused = await post(where.trim(), body);
      t.match(
        refused,
        { status: 422, body: { error_code: 'sso_required', provider_id: provider } },
        `${where} ${email}`,
      );
    }
  }
  t.match(await admin('POST', '/invite', { email: unknown }), { status: 422, body: { error_code: 'sso_required' } });
  const followed = await flow.follow(link!);
  t.match(followed.location?.href, /error_code=sso_required/, 'a link that is older');
  t.match(
    (await flow.follow(invitation!)).location?.href,
    /error_code=sso_required/,
    'an invitation to an organization',
  );
  const pressed = await flow.follow(new URL('/verify/confirm', undo), {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: undo!.searchParams.toString(),
  });
  t.match(pressed.location?.href, /error_code=sso_required/, 'one that takes an address of the company back');

  const other = freshEmail();
  t.equal((await post('/otp', { email: other })).status, 200);
  const sub = `ann@sub.${domain}`;
  t.equal((await post('/otp', { email: sub })).status, 200, 'another domain');
  const { body: session } = await post('/verify', {
    type: 'email',
    email: other,
    token: (await flow.nextMail(other)).code,
  });
  const changed = await flow.call('PUT', '/user', { bearer: session.access_token, body: { email: unknown } });
  t.match(changed, { status: 422, body: { error_code: 'sso_required' } });

  await admin('PUT', path, { disabled: true });
  await until(async () => (await post('/token?grant_type=password', { email: known, password })).status === 200);
});

t.test('an administrator links a person of a company to an account', async (t) => {
  const flow = await openSamlFlow(t, { EXTERNAL_ANONYMOUS_USERS_ENABLED: 'true' });
  const idp = openFakeIdp();
  const { body: provider } = await flow.addProvider(idp, { domains: ['acme.example'], resource_id: 'acme' });
  const email = freshEmail();
  const { body: account } = await flow.post('/signup', { email, password });
  const path = `/admin/users/${account.user.id}/sso_identity`;
  const wanted = { provider_id: 'resource_acme', subject: 'person-1' };
  const linked = await flow.admin('POST', path, wanted);
  const providers = ['email', `sso:${provider.id}`];
  t.match(linked, { status: 200, body: { id: account.user.id, app_metadata: { providers }, identities: [{}, {}] } });

  const options = { nameId: { value: 'person-1', format: PERSISTENT }, attributes: { mail: 'ann@acme.example' } };
  const { fragment } = await flow.signIn(idp, { domain: 'acme.example' }, options);
  const { body: user } = await flow.call('GET', '/user', { bearer: fragment.get('access_token')! });
  t.match(user, { id: account.user.id, email }, 'the account keeps its address');
  t.equal((await flow.post('/token?grant_type=password', { email, password })).status, 200, 'and its password');

  const again = await flow.admin('POST', path, { ...wanted, subject: 'person-2' });
  t.same(again.body.app_metadata.providers, providers, 'a provider is named once');
  const { body: guest } = await flow.post('/signup', {});
  const known = await flow.admin('POST', `/admin/users/${guest.user.id}/sso_identity`, {
    ...wanted,
    subject: 'person-3',
  });
  const of = { provider: providers[1], providers: [providers[1]] };
  t.match(known.body, { is_anonymous: false, app_metadata: of }, 'an account without another way');

  t.match(await flow.admin('POST', path, wanted), { status: 422, body: { msg: 'Identity is already linked' } });
  const other = await flow.post('/signup', { email: freshEmail(), password });
  const elsewhere = await flow.admin('POST', `/admin/users/${other.body.user.id}/sso_identity`, wanted);
  t.match(elsewhere, { status: 422, body: { msg: 'Identity is already linked to another user' } });
  t.equal((await flow.admin('POST', path, { ...wanted, provider_id: 'x' })).status, 404);
  t.equal((await flow.admin('POST', path, { ...wanted, subject: '' })).status, 400);
  t.equal((await flow.call('POST', path, { body: wanted })).status, 401);
});
