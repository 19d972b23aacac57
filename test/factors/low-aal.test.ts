import { claimsOf, enrolTotp, openApp, type Session, verifyWith } from '../support/authenticator-app.js';
import { type HookCall, hookSettingsOf, openHookReceiver } from '../support/hook-receiver.js';
import { freshEmail, openTestServer, password, type TestServer } from '../support/server.js';
import { t } from '../support/tap.js';

interface Tokens extends Session {
  readonly expires_in: number;
  readonly expires_at: number;
}

async function openAccount({ post }: TestServer) {
  const email = freshEmail();
  const session = (await post('/signup', { email, password })).body as Tokens;
  const signIn = async () => (await post('/token?grant_type=password', { email, password })).body as Tokens;
  const refresh = ({ refresh_token }: Session) => post('/token?grant_type=refresh_token', { refresh_token });
  return { session, signIn, refresh };
}

/** Makes the session older by so many seconds, and its account new, so that no server answers from its cache. */
async function age({ database }: TestServer, { access_token, user }: Session, seconds: number): Promise<void> {
  await database.admin.query(
    `update sessions set created_at = created_at - make_interval(secs => $2::int), amr = (
      select jsonb_agg(e || jsonb_build_object('timestamp', (e ->> 'timestamp')::bigint - $2::int) order by n)
      from jsonb_array_elements(amr) with ordinality as entry (e, n))
    where id = $1`,
    [claimsOf(access_token)['session_id'], seconds],
  );
  await database.admin.query('update users set updated_at = now() where id = $1', [user.id]);
}

const lifeOf = ({ access_token, expires_in, expires_at }: Tokens) => {
  const { iat, exp } = claimsOf(access_token) as { iat: number; exp: number };
  return { claims: exp - iat, expires_in, isSame: expires_at === exp };
};
/** The times of methods are rounded to seconds. */
const isAbout = ({ claims, expires_in, isSame }: ReturnType<typeof lifeOf>, seconds: number) =>
  claims > seconds - 10 && claims <= seconds + 1 && expires_in === claims && isSame;
const lasts = (seconds: number) => ({ claims: seconds, expires_in: seconds, isSame: true });

for (const hasHook of [false, true]) {
  t.test(`SESSIONS_ALLOW_LOW_AAL, ${hasHook ? 'with' : 'without'} the hook of claims`, async (t) => {
    const receiver = await openHookReceiver(t, ({ body }: HookCall) => ({ claims: body.claims }));
    const server = await openTestServer(t, {
      SESSIONS_ALLOW_LOW_AAL: '10m',
      ...(hasHook && {
        ...hookSettingsOf('CUSTOM_ACCESS_TOKEN', receiver.url),
        HOOK_CUSTOM_ACCESS_TOKEN_CACHE: '1h',
      }),
    });
    const { session, signIn, refresh } = await openAccount(server);
    t.same(lifeOf(session), lasts(3600), 'a user without a second factor');
    await age(server, session, 700);
    const later = (await refresh(session)).body as Tokens;
    t.same(lifeOf(later), lasts(3600));

    const { id, secret } = await enrolTotp(server, later);
    const app = openApp(secret);
    const raised = (await verifyWith(server, later, id, app.nextCode())).body as Tokens;
    t.same(lifeOf(raised), lasts(3600), 'AAL2');
    t.same(lifeOf((await refresh(raised)).body as Tokens), lasts(3600));

    const low = await signIn();
    t.ok(isAbout(lifeOf(low), 600), 'not longer than the session may be refreshed');
    await age(server, low, 500);
    const { body } = await refresh(low);
    t.ok(isAbout(lifeOf(body as Tokens), 100), 'what is left of it');
    await age(server, low, 102);
    t.match(await refresh(body as Session), { status: 400, body: { error_code: 'session_expired', msg: /Low AAL/ } });
  });
}
