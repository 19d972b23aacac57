/** Runs the commands of docs/moving-in.md and of the way back, with the variables of supabase/auth. */
import { execFile } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { launcher } from '../support/binary.js';
import { openMoving } from '../support/moving.js';
import { skipHere } from '../support/not-here.js';
import { addPeerSession, addPeerTokens, addPeerUser, freshTokenKey, sealPeerToken } from '../support/peer-tables.js';
import { freshEmail, testEnvironment } from '../support/server.js';
import { readSource } from '../support/source-tree.js';
import { onlyInFull, t } from '../support/tap.js';

onlyInFull('commands of a document; the same in code: moving-verify');

const run = promisify(execFile);

t.test('the commands of the move, of the comparison and of the way back, one after the other', async (t) => {
  const hasPsql = await run('psql', ['--version']).then(
    () => true,
    () => false,
  );
  if (!hasPsql) return skipHere(t, 'psql is not installed');
  const { at, database, refresh } = await openMoving(t);
  const { admin, url } = database;
  const userId = await addPeerUser(admin, freshEmail());
  const [opaque] = await addPeerTokens(admin, await addPeerSession(admin, userId));
  const key = freshTokenKey();
  const counted = await addPeerSession(admin, userId, { refresh_token_hmac_key: key, refresh_token_counter: 4 });

  const text = readSource('docs/moving-in.md').text + readSource('docs/moving-in/way-back.md').text;
  const script = [...text.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block]) => block).join('');
  t.equal(script.match(/^latchkey /gm)?.length, 4);
  t.ok(script.includes('postgres://…'));
  writeFileSync(join(at, 'latchkey'), `#!/bin/sh\nexec '${process.execPath}' '${launcher}' "$@"\n`);
  chmodSync(join(at, 'latchkey'), 0o755);
  const settings = Object.entries(testEnvironment(url)).map(([name, value]) => [
    name.replace(/^AUTH_/, 'GOTRUE_'),
    value,
  ]);
  const { stdout, stderr } = await run('sh', ['-eu', '-c', script.replace('postgres://…', `'${url}'`)], {
    cwd: at,
    env: { ...Object.fromEntries(settings), PATH: `${at}:${process.env['PATH']}` },
  });
  t.match(stdout, /imported +1 +0 +0 +0 +0 +0 +0 +2 /);
  t.match(stdout, /compared 1 accounts: 0 differ, 0 have changed here since\ncompared 2 sessions: 0 differ/);
  t.match(stderr, /exported 1 accounts/);
  t.match(stdout, /BEGIN[\s\S]*COMMIT/);
  t.equal((await refresh(opaque!)).status, 200);
  t.equal((await refresh(sealPeerToken(counted, 4, key))).status, 200);
});
