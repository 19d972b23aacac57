import { openMoving } from '../support/moving.js';
import { addPeerSession, addPeerTokens, addPeerUser } from '../support/peer-tables.js';
import { freshEmail } from '../support/server.js';
import { t } from '../support/tap.js';

t.test('--verify counts both sides and names what differs, without values', async (t) => {
  const { database, move, refresh, users } = await openMoving(t);
  const { admin } = database;
  const verify = (...args: string[]) => users('import', '--from-gotrue', 'env:PEER_URL', '--verify', ...args);
  const open = async () => {
    const email = freshEmail();
    const userId = await addPeerUser(admin, email);
    const sessionId = await addPeerSession(admin, userId);
    const [token] = await addPeerTokens(admin, sessionId);
    return { email, userId, sessionId, token: token! };
  };
  const opened = await Promise.all(Array.from({ length: 8 }, open));
  const [edited, missing, used, gone, endedThere, stolen, erased] = opened;
  const nothing = await verify();
  t.equal(nothing.code, 1);
  t.match(
    nothing.out,
    /accounts +8 +0\nidentities +8 +0\nsessions +8 +0\nfactors +0 +0\npasskeys +0 +0\nproviders +0 +0\nsso_providers +0 +0\nclients +0 +0\nconsents +0 +0\ncompared 8 accounts: 8 differ/,
  );
  t.match(nothing.err, `account ${edited!.userId} is not here`);

  await move();
  const same = await verify('--json');
  t.match(same, { code: 0, err: '' });
  const others = { factors: 0, passkeys: 0, providers: 0, sso_providers: 0, clients: 0, consents: 0 };
  const none = { compared: 0, different: 0, changedHere: 0 };
  t.same(JSON.parse(same.out), {
    totals: {
      there: { accounts: 8, identities: 8, sessions: 8, ...others },
      here: { accounts: 8, identities: 8, sessions: 8, ...others },
    },
    accounts: { compared: 8, different: 0, changedHere: 0 },
    sessions: { compared: 8, different: 0, changedHere: 0 },
    factors: none,
    passkeys: none,
    providers: none,
    sso_providers: none,
    clients: none,
    consents: none,
  });

  const other = await open();
  await admin.query('delete from users where id = $1', [missing!.userId]);
  await admin.query('delete from moved_accounts where user_id = $1', [missing!.userId]);
  await admin.query(`update users set email = 'other@example.com', role = 'x' where id = $1`, [edited!.userId]);
  await refresh(used!.token);
  await admin.query('delete from auth.users where id = $1', [gone!.userId]);
  await admin.query('delete from auth.sessions where id = $1', [endedThere!.sessionId]);
  await admin.query(`update sessions set aal = 'aal3' where id = $1`, [stolen!.sessionId]);
  await admin.query('delete from users where id = $1', [erased!.userId]);
  const { code, out, err } = await verify();
  t.equal(code, 1);
  t.match(out, /compared 8 accounts: 4 differ, 1 have changed here since/);
  t.same(
    err.trimEnd().split('\n').sort(),
    [
      `account ${edited!.userId} differs in role, email`,
      `account ${missing!.userId} is not here`,
      `account ${other.userId} is not here`,
      `account ${gone!.userId} is no longer there`,
      `session ${other.sessionId} is not here`,
      `session ${gone!.sessionId} is no longer there`,
      `session ${endedThere!.sessionId} is no longer there`,
      `session ${stolen!.sessionId} differs in aal`,
    ].sort(),
  );
  t.notMatch(err + out, 'other@example.com');

  const few = await verify('--json', '--sample', '3');
  t.ok(JSON.parse(few.out).accounts.compared <= 50);
  t.match(await verify('--sample', 'x'), { code: 2, err: /--sample must be a whole number/ });
  t.match(await users('import', '--verify', 'users.ndjson'), { code: 2, err: /--verify needs --from-gotrue/ });
});
