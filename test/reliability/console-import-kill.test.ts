/** kill -9 during an import from the browser: each piece is there with its results, or not at all, and the file goes on. */
import { setTimeout as pause } from 'node:timers/promises';
import { loadConfig } from '../../src/server/config/load.js';
import { ConsoleBrowser, inviteOperator, signInByLink } from '../support/console-browser.js';
import { finishImport, readResults, sendPiece, startImport } from '../support/console-import.js';
import { createTestDatabase } from '../support/database.js';
import { freePort } from '../support/free-port.js';
import { pickForm } from '../support/long-form.js';
import { spawnServer } from '../support/process.js';
import { openTestServer, testEnvironment } from '../support/server.js';
import { onlyInFull, t } from '../support/tap.js';
import { until } from '../support/until.js';

onlyInFull('a server that is killed again and again; the same of other work: rel-14-kill');

const KILLS = pickForm({ short: 2, long: 12 });
const ROWS = 125 * (KILLS + 4);

t.test('kill -9 during an import', async (t) => {
  const { url, admin } = await createTestDatabase(t);
  const consolePort = await freePort();
  const settings = { CONSOLE_PORT: String(consolePort) };
  const { config } = loadConfig({ environment: testEnvironment(url, settings), file: null });
  const { link } = await inviteOperator(config, 'ann', 'owner');
  const browser = new ConsoleBrowser(consolePort);
  const rows = Array.from({ length: ROWS }, (_, n) => `kill${n}@import.example\n`).join('');
  const bytes = Buffer.from(`email\n${rows}`);
  const others = 'from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';
  const count = async (sql: string): Promise<number> =>
    (await admin.query(`select count(*)::int ${sql}`)).rows[0].count;
  let run: { id: string; offset: number } | undefined;
  for (let kill = 0; kill < KILLS; kill++) {
    const server = await spawnServer(t, url, settings);
    if (browser.cookie === '') await signInByLink(browser, link);
    await admin.query('update operator_sessions set proven_at = now()');
    run ??= (await startImport(browser, 'kill.csv', bytes)).body as { id: string; offset: number };
    const piece = (await sendPiece(browser, run, bytes)).body;
    // The next piece is killed between its rows and its results, or anywhere.
    if (kill % 2 === 0) {
      await admin.query('begin; lock table import_results in share mode');
      const cut = sendPiece(browser, piece.run, bytes).catch(() => 'cut');
      await until(async () => (await count(`${others} and wait_event_type = 'Lock'`)) > 0);
      await server.stop('SIGKILL');
      await admin.query(`select pg_terminate_backend(pid) ${others}`);
      await admin.query('rollback');
      t.equal(await cut, 'cut');
    } else {
      const cut = sendPiece(browser, piece.run, bytes).catch(() => 'cut');
      await pause(Math.random() * 60);
      await server.stop('SIGKILL');
      await cut;
    }
    await until(async () => (await count(others)) === 0);
    const stored = await count('from users');
    const { counts, place } = (await admin.query('select counts, place from import_runs')).rows[0];
    t.equal(counts.imported, stored, 'as many as the results say');
    t.equal(place.lines, stored + 1);
    run = { id: run.id, offset: place.offset };
  }
  await openTestServer(t, settings, () => url);
  await admin.query('update operator_sessions set proven_at = now()');
  const { run: ended } = await finishImport(browser, run!, bytes);
  t.match(ended.counts, { imported: ROWS, skipped: 0, refused: 0 });
  t.equal(await count('from users'), ROWS);
  t.equal((await readResults(browser, run!.id)).split('"imported"').length - 1, ROWS);
});
