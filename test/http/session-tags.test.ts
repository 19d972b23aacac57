import { freshEmail, openTestServer, password } from '../support/server.js';
import { type Test, t } from '../support/tap.js';

/** A server, and a user whose sessions have the given tags; the first is the oldest. */
async function openServer(t: Test, settings: Record<string, string>) {
  const server = await openTestServer(t, { SESSIONS_SINGLE_PER_USER: 'true', ...settings });
  const { post, database } = server;
  return {
    async openSessions(tags: readonly (string | null)[]) {
      const body = { email: freshEmail(), password };
      const tokens: { refresh_token: string; id: string }[] = [];
      for (const [index, tag] of tags.entries()) {
        const answer = await post(index === 0 ? '/signup' : '/token?grant_type=password', body);
        const { session_id } = JSON.parse(Buffer.from(answer.body.access_token.split('.')[1], 'base64url').toString());
        await database.admin.query(
          "update sessions set tag = $2, created_at = now() - $3 * interval '1 minute' where id = $1",
          [session_id, tag, tags.length - index],
        );
        tokens.push({ refresh_token: answer.body.refresh_token, id: session_id });
      }
      return tokens;
    },
    refresh: (token: { refresh_token: string }) =>
      post('/token?grant_type=refresh_token', { refresh_token: token.refresh_token }),
    change: (session: { id: string }, change: string) =>
      database.admin.query(`update sessions set ${change} where id = $1`, [session.id]),
  };
}

const superseded = { status: 400, body: { error_code: 'session_expired', msg: /\(Revoked by Newer Login\)$/ } };

t.test('one session for each tag', async (t) => {
  const { openSessions, refresh } = await openServer(t, { SESSIONS_TAGS: 'web, mobile' });
  const [oldWeb, mobile, web] = await openSessions(['web', 'mobile', 'web']);
  t.match(await refresh(oldWeb!), superseded, 'a newer one of the same tag');
  t.equal((await refresh(mobile!)).status, 200, 'the newest of its tag');
  t.equal((await refresh(web!)).status, 200);
});

t.test('a session without a tag, or with one that is not listed, counts for the first', async (t) => {
  const { openSessions, refresh } = await openServer(t, { SESSIONS_TAGS: 'web,mobile' });
  for (const tags of [
    [null, 'web'],
    ['tv', 'web'],
    ['web', null],
    ['', 'tv'],
  ]) {
    const [older, newer] = await openSessions(tags);
    t.match(await refresh(older!), superseded, JSON.stringify(tags));
    t.equal((await refresh(newer!)).status, 200, JSON.stringify(tags));
  }
  const [mobile] = await openSessions(['mobile', null, 'tv']);
  t.equal((await refresh(mobile!)).status, 200, 'which is another one');
});

t.test('without SESSIONS_TAGS, tags are ignored', async (t) => {
  const { openSessions, refresh } = await openServer(t, {});
  const [older, newer] = await openSessions(['web', 'mobile']);
  t.match(await refresh(older!), superseded);
  t.equal((await refresh(newer!)).status, 200);
});

t.test('concurrent refreshes follow the same rule', async (t) => {
  const { openSessions, refresh } = await openServer(t, { SESSIONS_TAGS: 'web,mobile' });
  const people = [];
  for (let i = 0; i < 4; i++) people.push(await openSessions(['web', 'mobile', 'web']));
  const answers = await Promise.all(people.flat().map(refresh));
  t.same(
    answers.map(({ status }) => status),
    people.flatMap(() => [400, 200, 200]),
  );
});

t.test('an expired session blocks no other session', async (t) => {
  const { openSessions, refresh, change } = await openServer(t, { SESSIONS_TIMEBOX: '1h' });
  for (const end of [
    "not_after = now() - interval '1 second'",
    "created_at = now() - interval '2 hours'",
    'revoked_at = now()',
  ]) {
    const [session, other] = await openSessions([null, null]);
    await change(other!, `refreshed_at = now(), ${end}`);
    t.equal((await refresh(session!)).status, 200, end);
  }
});
