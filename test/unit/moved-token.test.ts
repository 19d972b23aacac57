import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../../src/db/types.js';
import { deriveKeys } from '../../src/server/sessions/keys.js';
import { findMovedToken } from '../../src/server/sessions/moved-token.js';
import { readPeerToken } from '../../src/server/sessions/peer-token.js';
import { sealRefreshToken } from '../../src/server/sessions/refresh-token.js';
import { freshOpaqueToken, freshTokenKey, sealPeerToken } from '../support/peer-tables.js';
import { t } from '../support/tap.js';

const keys = deriveKeys({ jwtSecret: 's'.repeat(32), jwtPreviousSecrets: [], jwtPreviousSecretsValidUntil: null });
const others = deriveKeys({ jwtSecret: 'o'.repeat(32), jwtPreviousSecrets: [], jwtPreviousSecretsValidUntil: null });

/** A database that knows none of the tokens and records its statements. */
function fakeDatabase(state: { areThere: boolean; isAway?: boolean }) {
  const asked: string[] = [];
  const db = {
    run: async (name: string) => {
      asked.push(name);
      if (state.isAway) throw new Error('away');
      return name === 'moved-tokens.are_there' ? [{ are_there: state.areThere }] : [];
    },
  } as unknown as Database;
  return { db, asked };
}

t.test('only a text in a format of supabase/auth costs a query', async (t) => {
  const { db, asked } = fakeDatabase({ areThere: true });
  const forged = sealRefreshToken({ sessionId: randomUUID(), generation: 7 }, others.refreshToken.current);
  const foreign = sealPeerToken(randomUUID(), 7, freshTokenKey());
  const texts = [
    '',
    'short',
    forged,
    `${forged}AAAA`,
    'x'.repeat(51),
    'x'.repeat(10_000),
    foreign.slice(0, -1),
    ' '.repeat(12),
  ];
  for (const text of texts) t.equal(await findMovedToken({ db, keys }, text), undefined, text.slice(0, 60));
  t.same(asked, []);
  await findMovedToken({ db, keys }, freshOpaqueToken());
  await findMovedToken({ db, keys }, randomBytes(16).toString('base64url'));
  await findMovedToken({ db, keys }, foreign);
  t.same(asked, [
    'moved-tokens.are_there',
    ...['moved-tokens.opaque', 'moved-tokens.opaque', 'moved-tokens.token_key'],
  ]);
});

t.test('without imported sessions no number of texts costs more than a query a second', async (t) => {
  const state = { areThere: false, isAway: false };
  const { db, asked } = fakeDatabase(state);
  for (let n = 0; n < 50; n++) t.equal(await findMovedToken({ db, keys }, freshOpaqueToken()), undefined);
  t.ok(asked.length <= 2, `${asked.length} statements`);
  state.isAway = true;
  await pause(1100);
  t.equal(await findMovedToken({ db, keys }, freshOpaqueToken()), undefined, 'refused without a database, too');
  state.isAway = false;
  state.areThere = true;
  await pause(1100);
  await findMovedToken({ db, keys }, freshOpaqueToken());
  t.equal(asked.at(-1), 'moved-tokens.opaque', 'an import while the server runs counts within a second');
});

t.test('a database that was never reached is no reason to refuse a token', async (t) => {
  const { db } = fakeDatabase({ areThere: true, isAway: true });
  await t.rejects(findMovedToken({ db, keys }, freshOpaqueToken()), /away/);
});

t.test('tokens of version 2 with small and large counters', async (t) => {
  for (const counter of [0, 127, 128, 300, 2 ** 31, Number.MAX_SAFE_INTEGER]) {
    const sessionId = randomUUID();
    t.match(readPeerToken(sealPeerToken(sessionId, counter, freshTokenKey())), { sessionId, counter });
  }
});
