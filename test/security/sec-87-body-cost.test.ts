import { endpoints } from '../../src/server/endpoints/index.js';
import { adminToken } from '../support/admin.js';
import { pickForm } from '../support/long-form.js';
import { pickRows } from '../support/rows.js';
import { startSendingProcess } from '../support/sending-process.js';
import { freshEmail, openTestServer, password } from '../support/server.js';
import { ownProcess, t } from '../support/tap.js';
import { assertCheap, measureUsualMs } from '../support/worst-case.js';

ownProcess('measures the processor time of its process');

const LIMIT_MS = 5;
const fill = (open: string, unit: string, close: string, size: number): string =>
  open + unit.repeat(Math.max(0, Math.floor((size - open.length - close.length) / unit.length))) + close;

/** Texts that patterns, parsers and decoders may stumble over; the last character is another one. */
const UNITS = pickForm({
  short: ['a', 'a@', '.', '1', ' ', '\\u00e9', '\\\\', 'é', 'ey.'],
  long: [
    'a',
    '@',
    'a@',
    '@a.',
    '.',
    '1',
    '+1',
    ' ',
    '%41',
    '\\u00e9',
    '\\\\',
    'é',
    '😀',
    'ey.',
    '{{',
    '/../',
    'a=b&',
    '\\t',
  ],
});
/** Texts, as JSON, of so many bytes. */
const texts = (size: number): Readonly<Record<string, string>> =>
  Object.fromEntries(
    UNITS.map((unit) => [
      `of ${unit}`,
      fill('"', unit, '!"', Math.floor(size / Buffer.byteLength(unit)) * unit.length),
    ]),
  );
/** Objects, as JSON. */
const objects = (size: number): Readonly<Record<string, string>> => ({
  'many keys': `{${Array.from({ length: Math.min(4900, Math.floor(size / 13) - 20) }, (_, n) => `"k${n}":1`).join()}}`,
  'many long keys': `{${Array.from({ length: Math.floor(size / 28) - 20 }, (_, n) => `"${String(n).padStart(20, 'k')}":1`).join()}}`,
  'many empty objects': fill('{"a":[', '{},', '{}]}', Math.min(size, 14_000)),
  'one long text': fill('{"a":"', 'x', '"}', size),
  'a text of escapes': fill('{"a":"', '\\u00e9', '"}', size),
  'a long key': fill('{"', 'k', '":1}', size),
  'long numbers': fill('{"a":[', `${'9'.repeat(300)},`, '1]}', size),
  'all it may nest': `${'{"a":'.repeat(30)}${fill('"', 'x', '"', size - 200)}${'}'.repeat(30)}`,
});
/** Bodies as a whole. */
const wholes = (size: number): Readonly<Record<string, string>> => ({
  'white space': fill('{', ' ', '}', size),
  'text without end': fill('{"a":"', 'x', '', size),
  'open brackets': fill('{"a":', '[', '', size),
  numbers: fill('{"a":[', '1,', '1]}', size),
  'unknown fields': `{${Array.from({ length: Math.min(4900, Math.floor(size / 13)) }, (_, n) => `"k${n}":1`).join()}}`,
  'the same field': fill('{"email":"a"', ',"email":"a"', '}', size),
});
const forms = (size: number): Readonly<Record<string, string>> => ({
  'broken percents': fill('', 'a=%zz&', '', size),
  'one long field': fill('token=', '%41', '', size),
  'one field of plus signs': fill('state=', '+', '', size),
  'a hundred fields': Array.from({ length: 100 }, (_, n) => fill(`f${n}=`, '%c3%a9', '', size / 100)).join('&'),
  'a hundred broken ones': Array.from({ length: 100 }, (_, n) => fill(`f${n}=`, '%4', '', size / 100)).join('&'),
  'bytes that are no UTF-8': fill('state=', '%ff', '', size),
});

/** Further fields that a request needs, so that the tested field is read. */
const companions: Readonly<Record<string, unknown>> = {
  password,
  type: 'signup',
  provider: 'github',
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbXYvmGAgHzE',
  code_challenge_method: 's256',
};

type Shot = readonly [method: string, path: string, auth: 'none' | 'user' | 'admin' | 'scim', type: string];

interface Row {
  readonly shot: Shot;
  /** That has the text; empty for a body as a whole. */
  readonly field: string;
  /** What the field may be: JSON of its schema. */
  readonly kind: string;
  readonly name: string;
  readonly body: string;
  /** A small body that is checked as far. */
  readonly usual: string;
}

/** A field is the same at each route that has it with the same schema; only a long run tries it at all of them. */
const keyOf = ({ shot: [method, path, , type], field, kind, name }: Row): string =>
  field === '' ? `${method} ${path} ${type} ${name}` : `${field} ${kind} ${name}`;

t.test('SEC-87 no body that a route takes costs more than 5 ms of CPU', { timeout: 400_000 }, async (t) => {
  const { url, post } = await openTestServer(t, {
    EXTERNAL_ANONYMOUS_USERS_ENABLED: 'true',
    EXTERNAL_PHONE_ENABLED: 'true',
    EXTERNAL_GITHUB_ENABLED: 'true',
    EXTERNAL_GITHUB_CLIENT_ID: 'client',
    EXTERNAL_GITHUB_SECRET: 'secret',
    EXTERNAL_GITHUB_REDIRECT_URI: 'http://localhost:9999/callback',
    SMS_AUTOCONFIRM: 'true',
    SMTP_MAX_FREQUENCY: '0s',
    SMS_MAX_FREQUENCY: '0s',
  });
  const port = Number(new URL(url).port);
  const sender = startSendingProcess(t, port);
  const { user, access_token } = (await post('/signup', { email: freshEmail(), password })).body;
  const bearers: Readonly<Record<Shot[2], string | undefined>> = {
    none: undefined,
    user: access_token as string,
    admin: adminToken(),
    scim: undefined,
  };

  const prepare = ([method, path, auth, type]: Shot, body: string) => {
    const bearer = bearers[auth];
    return sender.prepare({
      method,
      path,
      headers: { 'Content-Type': type, ...(bearer && { Authorization: `Bearer ${bearer}` }) },
      body,
    });
  };
  const rows: Row[] = [];
  const addAll = (
    shot: Shot,
    { field, kind }: Pick<Row, 'field' | 'kind'>,
    bodies: Readonly<Record<string, string>>,
    usual: string,
  ): void => {
    for (const [name, body] of Object.entries(bodies)) rows.push({ shot, field, kind, name, body, usual });
  };
  const whole = { field: '', kind: '' };

  for (const { method, path, caller, body, form, maxBodyBytes: size = 65_536 } of endpoints) {
    const target = path.replace('{user_id}', user.id);
    const targets =
      target === '/token'
        ? ['password', 'refresh_token', 'pkce', 'id_token'].map((grant) => `${target}?grant_type=${grant}`)
        : [target];
    for (const at of targets) {
      if (form === true) {
        addAll([method, at, caller, 'application/x-www-form-urlencoded'], whole, forms(size), 'a=b');
      }
      if (body === undefined) continue;
      const shot: Shot = [method, at, caller, 'application/json'];
      addAll(shot, whole, wholes(size), '{}');
      for (const [field, schema] of Object.entries(body.properties)) {
        const { type } = schema as { type?: string };
        const names = Object.keys(body.properties).filter((name) => name !== field && name in companions);
        const contact =
          field === 'email' || field === 'phone' || !('email' in body.properties) ? [] : [`"email":"${freshEmail()}"`];
        const around = [...contact, ...names.map((name) => `"${name}":${JSON.stringify(companions[name])}`)].join();
        const space = size - around.length - field.length - 20;
        const values = type === 'object' ? objects(space) : texts(space);
        const bodies = Object.entries(values).map(([name, value]) => [
          name,
          `{${around}${around && ','}"${field}":${value}}`,
        ]);
        addAll(shot, { field, kind: JSON.stringify(schema) }, Object.fromEntries(bodies), `{${around}}`);
      }
    }
  }
  t.ok(rows.length > 500, `${rows.length} bodies`);
  const firsts = new Map(rows.toReversed().map((row) => [keyOf(row), row]));
  const wanted = pickForm({ short: [...firsts.values()].toReversed(), long: rows });
  // Each route, each field of a name or a kind of its own, and each text and kind of body in some field.
  const picked = pickRows(wanted, [
    ({ shot: [, path, , type] }) => `${path} ${type}`,
    ({ field, kind }) => `${field} ${kind}`,
    ({ name }) => name,
  ]);
  let last: { readonly of: string; readonly usualMs: number } | undefined;
  for (const { shot, field, name, body, usual } of picked) {
    const of = `${shot.join()} ${usual}`;
    if (last?.of !== of) {
      await prepare(shot, usual);
      last = { of, usualMs: await measureUsualMs(() => sender.send()) };
    }
    await prepare(shot, body);
    const what = `${shot[0]} ${shot[1]}: ${field} ${name}`;
    let status = 0;
    await assertCheap(t, what, LIMIT_MS, last.usualMs, async () => {
      status = await sender.send();
    });
    if (status === 413 || status === 0) t.fail(`${what} was not taken: ${status}`);
  }
  t.comment(`${picked.length} of ${wanted.length} bodies`);
});
