/** Commands beside `latchkey dev`: which settings they find, and what they say. */
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { besideDevelopment, noteDevelopment } from '../../src/server/cli/development.js';
import { type Environment, loadConfig } from '../../src/server/config/load.js';
import { type Test, t } from '../support/tap.js';

const OWN = 'postgres://u:own@127.0.0.1/own';
const fallback = {
  AUTH_SITE_URL: 'https://app.example.com',
  AUTH_API_EXTERNAL_URL: 'https://auth.example.com',
  AUTH_DB_DRIVER: 'postgres',
  AUTH_JWT_SECRET: 'a secret of more than thirty-two bytes',
  DATABASE_URL: OWN,
};

const sourcesOf = (environment: Environment) => ({ environment, file: null });

function openDirectory(t: Test) {
  const directory = t.testdir({ data: {} });
  const data = join(directory, 'data');
  const environment = { AUTH_DB_NAMESPACE: 'mine', AUTH_PAGES_NAME: 'Of the shell of the server' };
  const note = () => noteDevelopment(data, loadConfig({ ...sourcesOf(environment), fallback }));
  const look = (own: Environment = {}, values: Record<string, string> = {}, dataDirectory: string | null = data) => {
    let err = '';
    const print = (text: string): void => {
      err += text;
    };
    const io = { environment: own, out: () => undefined, err: print };
    const withPlace = dataDirectory === null ? io : { ...io, dataDirectory };
    const { fallback: found } = besideDevelopment({ ...sourcesOf(own), fallback: undefined }, { values }, withPlace);
    return { found, err };
  };
  return { directory, data, note, look };
}

t.test('the settings of the server that runs, as long as it runs', async (t) => {
  const { data, note, look } = openDirectory(t);
  const remove = note();
  const { found, err } = look();
  t.match(err, `With the settings of the latchkey dev that runs with its data in ${data}.\n`);
  t.same(found, { ...fallback, AUTH_DB_NAMESPACE: 'mine' }, 'and of its shell what the database never has');
  t.equal(statSync(join(data, 'running.json')).mode & 0o777, 0o600, 'it has secrets');
  t.same(look({ DATABASE_URL: OWN }).found, found, 'the same database');
  t.same(look({}, { data }, null).found, found, '--data');
  t.same(look({ DATABASE_URL: 'postgres://other.example/production' }), { found: undefined, err: '' });
  t.same(look({}, {}, null), { found: undefined, err: '' }, 'nothing is looked for');
  remove();
  t.same(readdirSync(data), []);
});

t.test('where none runs it says what is not set, and the command that cures it', async (t) => {
  const { directory, data, look } = openDirectory(t);
  // As after kill -9.
  writeFileSync(join(data, 'running.json'), JSON.stringify({ pid: 2 ** 22 + 1, settings: fallback }));
  const { found, err } = look();
  t.equal(found, undefined);
  t.match(err, /^DATABASE_URL is not set, and no latchkey dev runs with its data in/);
  t.ok(err.includes(`\n\n  latchkey dev --data=${data}\n\n`), err);
  t.same(look({ DATABASE_URL: OWN }), { found: undefined, err: '' });
  const absent = join(directory, "it's not there");
  t.same(look({}, {}, absent).err, '', 'a directory without .data');
  t.ok(look({}, { data: absent }).err.includes(`--data='${directory}/it'\\''s not there'`));
});
