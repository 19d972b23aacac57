import { decodeJwt } from 'jose';
import { openMoving } from '../support/moving.js';
import {
  addPeerSession,
  addPeerTokens,
  addPeerUser,
  freshOpaqueToken,
  freshTokenKey,
  sealPeerToken,
} from '../support/peer-tables.js';
import { freshEmail } from '../support/server.js';
import { t } from '../support/tap.js';

const REUSED = { status: 400, body: { error_code: 'refresh_token_already_used' } };
const UNKNOWN = { status: 400, body: { error_code: 'refresh_token_not_found' } };

t.test('opaque tokens of an imported session', async (t) => {
  const moving = await openMoving(t);
  const { database, move, refresh } = moving;
  const { admin } = database;

  async function moved(tokens: number, columns = {}) {
    const userId = await addPeerUser(admin, freshEmail());
    const sessionId = await addPeerSession(admin, userId, columns);
    const chain = await addPeerTokens(admin, sessionId, tokens);
    t.equal((await move()).code, 0);
    return { userId, sessionId, chain, last: chain.at(-1)! };
  }
  const pass = (sessionId: string) =>
    admin.query(`update sessions set refreshed_at = now() - interval '11 seconds' where id = $1`, [sessionId]);

  await t.test('the token people hold is answered with one of ours, in the same session', async (t) => {
    const { userId, sessionId, last } = await moved(1, { aal: 'aal2', tag: 'web', not_after: '2199-01-01T00:00:00Z' });
    const { rows: before } = await admin.query('select * from sessions where id = $1', [sessionId]);
    t.match(before[0], {
      user_id: userId,
      aal: 'aal2',
      tag: 'web',
      user_agent: 'Browser/1.0',
      ip: '203.0.113.7',
      refreshed_at: null,
      amr: [{ method: 'password', timestamp: Date.parse('2026-01-01T10:00:00Z') / 1000 }],
    });
    t.equal(before[0].created_at.toISOString(), '2026-01-01T10:00:00.123Z');
    t.ok(before[0].not_after > new Date('2198-01-01'));
    const answer = await refresh(last);
    t.match(answer, { status: 200, body: { user: { id: userId } } });
    t.match(decodeJwt(answer.body.access_token), { session_id: sessionId, aal: 'aal2', amr: [{ method: 'password' }] });
    t.ok(answer.body.refresh_token.length >= 46);
    t.equal((await refresh(answer.body.refresh_token)).status, 200);
  });

  await t.test('within the reuse interval it gets the same answer, later it revokes the session', async (t) => {
    const { sessionId, last } = await moved(1);
    const first = await refresh(last);
    const again = await refresh(last);
    t.match(again, { status: 200, body: { refresh_token: first.body.refresh_token } });
    await pass(sessionId);
    t.match(await refresh(last), REUSED);
    t.match(await refresh(first.body.refresh_token), REUSED, 'and so is the session');
  });

  await t.test('twenty at once: one child', async (t) => {
    const { sessionId, last } = await moved(1);
    const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(last)));
    t.same([...new Set(answers.map(({ status }) => status))], [200]);
    t.equal(new Set(answers.map(({ body }) => body.refresh_token)).size, 1);
    const { rows } = await admin.query('select generation from sessions where id = $1', [sessionId]);
    t.equal(Number(rows[0].generation), 3);
  });

  await t.test('the parent works until the session was refreshed here, an older one never', async (t) => {
    const { chain } = await moved(3);
    const answer = await refresh(chain[1]!);
    t.equal(answer.status, 200, 'a client that lost the last answer of the other server');
    t.equal((await refresh(chain[2]!)).status, 200, 'and the one that got it');
    const other = await moved(3);
    t.match(await refresh(other.chain[0]!), REUSED);
    t.match(await refresh(other.last), REUSED, 'the session is revoked');
    const third = await moved(2);
    t.equal((await refresh(third.last)).status, 200);
    await pass(third.sessionId);
    t.match(await refresh(third.chain[0]!), REUSED);
  });

  await t.test('a family that was revoked there is revoked here', async (t) => {
    const userId = await addPeerUser(admin, freshEmail());
    const sessionId = await addPeerSession(admin, userId);
    const [token] = await addPeerTokens(admin, sessionId);
    await admin.query('update auth.refresh_tokens set revoked = true where session_id = $1', [sessionId]);
    t.equal((await move()).code, 0);
    t.match(await refresh(token!), REUSED);
  });

  await t.test('banned, ended, expired', async (t) => {
    const banned = await moved(1);
    await admin.query(`update users set banned_until = now() + interval '1 hour' where id = $1`, [banned.userId]);
    t.match(await refresh(banned.last), { status: 400, body: { error_code: 'user_banned' } });
    const ended = await moved(1);
    const { body } = await refresh(ended.last);
    t.equal((await moving.call('POST', '/logout', { bearer: body.access_token })).status, 204);
    t.match(await refresh(ended.last), UNKNOWN);
    const expired = await moved(1, { not_after: '2026-02-01T00:00:00Z' });
    t.match(await refresh(expired.last), { status: 400, body: { error_code: 'session_expired' } });
  });

  await t.test('other texts', async (t) => {
    for (const text of [freshOpaqueToken(), 'x', 'a'.repeat(50), 'é'.repeat(12)]) {
      t.match(await refresh(text), UNKNOWN, JSON.stringify(text));
    }
    const { rows } = await admin.query('select token_hash from moved_tokens');
    const { rows: tokens } = await admin.query('select token from auth.refresh_tokens');
    t.ok(rows.length > 0);
    const hashes = JSON.stringify(rows);
    for (const { token } of tokens) t.notOk(hashes.includes(token), 'no token is stored');
  });
});

t.test('tokens of version 2', async (t) => {
  const { database, move, refresh } = await openMoving(t);
  const { admin } = database;

  async function moved(counter: number) {
    const userId = await addPeerUser(admin, freshEmail());
    const key = freshTokenKey();
    const columns = { refresh_token_hmac_key: key, refresh_token_counter: counter };
    const sessionId = await addPeerSession(admin, userId, columns);
    t.equal((await move()).code, 0);
    return { sessionId, key, token: (count: number) => sealPeerToken(sessionId, count, key) };
  }

  await t.test('the current one, its predecessor, an older one, one that was never issued', async (t) => {
    const { token } = await moved(300);
    t.match(await refresh(token(301)), UNKNOWN);
    t.equal((await refresh(token(299))).status, 200, 'until the session was refreshed here');
    const answer = await refresh(token(300));
    t.equal(answer.status, 200);
    t.match(await refresh(token(300)), { body: { refresh_token: answer.body.refresh_token } });
    t.match(await refresh(token(299)), REUSED);
    t.match(await refresh(answer.body.refresh_token), REUSED);
    const other = await moved(5);
    t.match(await refresh(other.token(2)), REUSED);
    t.match(await refresh(other.token(5)), REUSED);
  });

  await t.test('forged ones', async (t) => {
    const { sessionId, token } = await moved(0);
    t.match(await refresh(sealPeerToken(sessionId, 0, freshTokenKey())), UNKNOWN, 'another key');
    const right = token(0);
    for (let at = 0; at < right.length; at++) {
      const flipped = right[at] === 'A' ? 'B' : 'A';
      const { status } = await refresh(right.slice(0, at) + flipped + right.slice(at + 1));
      t.equal(status, 400, `character ${at}`);
    }
    t.equal((await refresh(right)).status, 200);
  });

  await t.test('the key is not stored in the clear', async (t) => {
    const { sessionId, key } = await moved(0);
    const { rows } = await admin.query('select token_key from moved_sessions where session_id = $1', [sessionId]);
    t.ok(rows[0].token_key.length > 43);
    t.notOk(rows[0].token_key.includes(key));
  });
});
