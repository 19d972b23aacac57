/** Every endpoint of GET /openapi.json with valid, nearly valid and invalid requests; answers must match the document. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { adminToken } from '../support/admin.js';
import { openSchemas } from '../support/check-openapi.js';
import { chooseSeed, openRandom, pickForm, reportProgress } from '../support/long-form.js';
import { type FuzzCase, type Known, listOperations, makeCase } from '../support/openapi-cases.js';
import { freshEmail, freshPhone, JWT_SECRET, openTestServer, password } from '../support/server.js';
import { startFakeGateways } from '../support/sms-gateways.js';
import { onlyInFull, t } from '../support/tap.js';
import { signTestToken } from '../support/tokens.js';

onlyInFull('random requests, of which two seconds find little; by rule: sec-25, sec-26');

const SECONDS = pickForm({ short: 4, full: 12, long: 120 });
const LANES = 6;

t.test(
  `SEC-25, SEC-26: ${SECONDS} s of requests generated from the document: no 5xx but 503, no undocumented response`,
  { timeout: (SECONDS + 60) * 1000 },
  async (t) => {
    const seed = chooseSeed(t);
    const gateways = await startFakeGateways(t);
    const logFile = join(t.testdir(), 'server.log');
    const { url, call, post } = await openTestServer(t, {
      ...gateways.settings('twilio'),
      LOG_LEVEL: 'error',
      LOG_FILE: logFile,
      PAGES_ENABLED: 'true',
      EXTERNAL_ANONYMOUS_USERS_ENABLED: 'true',
      EXTERNAL_PHONE_ENABLED: 'true',
      EXTERNAL_GITHUB_ENABLED: 'true',
      EXTERNAL_GITHUB_CLIENT_ID: 'client',
      EXTERNAL_GITHUB_SECRET: 'secret',
      EXTERNAL_GITHUB_REDIRECT_URI: 'http://localhost:9999/callback',
      SECURITY_MANUAL_LINKING_ENABLED: 'true',
      SMS_AUTOCONFIRM: 'true',
      RATE_LIMIT_EMAIL_SENT: '1000000',
      RATE_LIMIT_SMS_SENT: '1000000',
      SMTP_MAX_FREQUENCY: '0s',
      SMS_MAX_FREQUENCY: '0s',
    });
    const { body: api } = await call('GET', '/openapi.json');
    const check = openSchemas(api);
    /** The newest ids and tokens, for later requests. */
    const pool: Record<string, unknown[]> = {
      password: [password, 'another good password', 'x', ''],
      type: ['signup', 'invite', 'magiclink', 'recovery', 'email_change', 'email', 'sms', 'phone_change'],
      provider: ['github', 'google', 'unknown'],
      redirect_to: ['http://localhost:3000/', 'https://evil.test/'],
      ban_duration: ['none', '1h', '24h30m'],
      role: ['authenticated', 'editor'],
      aud: ['authenticated'],
      code_challenge: ['E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbXYvmGAgHzE'],
      code_challenge_method: ['s256', 'plain', 'S256'],
      sort: ['created_at desc', 'email asc'],
      factor_id: ['6b0a3b1e-6b0a-4b1e-8b0a-3b1e6b0a3b1e'],
    };
    const remember = (name: string, value: unknown): void => {
      if (typeof value === 'string') pool[name] = [...(pool[name] ?? []).slice(-6), value];
    };
    const bearers: string[] = [];
    const learn = (body: Record<string, unknown> | undefined): void => {
      const user = (body?.['user'] ?? body) as Record<string, unknown> | undefined;
      if (typeof user?.['email'] === 'string') remember('user_id', user['id']);
      for (const name of ['email', 'phone', 'refresh_token', 'new_email']) remember(name, user?.[name] ?? body?.[name]);
      remember('token_hash', body?.['hashed_token']);
      remember('token', body?.['email_otp']);
      for (const identity of (user?.['identities'] as Record<string, unknown>[] | undefined) ?? [])
        remember('identity_id', identity['identity_id']);
      if (typeof body?.['access_token'] === 'string') {
        bearers.push(body['access_token']);
        if (bearers.length > 4) bearers.shift();
      }
    };
    const makeAccount = async (): Promise<void> => {
      remember('email', freshEmail());
      remember('phone', freshPhone());
      learn((await post('/signup', { email: freshEmail(), password })).body);
    };
    await makeAccount();

    const faults = new Map<string, string>();
    /** Read at the end: the log is written asynchronously. */
    const whatWasLogged = (example: string): string => {
      const id = /"error_id":"([0-9a-f-]+)"/.exec(example)?.[1];
      if (id === undefined) return '';
      return (
        readFileSync(logFile, 'utf8')
          .split('\n')
          .find((line) => line.includes(id)) ?? ''
      );
    };
    const seen = new Map<string, Set<number>>();
    const find = ({ pattern, method }: FuzzCase, response: Response, text: string): string | undefined => {
      const { status } = response;
      const contentType = response.headers.get('content-type')?.split(';')[0];
      if (status >= 500 && status !== 503) return `${status}`;
      const documented = api.paths[pattern][method.toLowerCase()].responses[status];
      if (documented === undefined) return `${status} is not documented`;
      if (documented.content === undefined) return text === '' ? undefined : `${status} has a body`;
      const schema = documented.content[contentType ?? '']?.schema;
      if (schema === undefined) return `${status} comes as ${contentType}`;
      if (contentType !== 'application/json') return undefined;
      const body = JSON.parse(text);
      const errors = check(schema, body);
      if (errors.length > 0) return `${status} is off its schema: ${errors.join(', ')}`;
      const code = body.error_code ?? body.code;
      if (status >= 400 && !documented.description.includes(`\`${code}\``)) return `${status} does not name ${code}`;
      return undefined;
    };

    const operations = listOperations(api);
    let [next, busy] = [0, 0];
    const runLane = async (until: number): Promise<void> => {
      // Each operation once, however busy the machine is, and then at random.
      while (performance.now() < until || next < operations.length) {
        const number = next++;
        const random = openRandom(seed, number);
        if (number % 40 === 0) await makeAccount();
        const fuzz = makeCase(api, pool as Known, random, operations[number]);
        const bearer = random.pick([
          undefined,
          random.pick(bearers),
          random.pick(bearers),
          adminToken(),
          adminToken(),
          signTestToken({ sub: 'x\0', role: 'authenticated', session_id: 7 }, JWT_SECRET),
        ]);
        const response = await fetch(url + fuzz.target, {
          method: fuzz.method,
          redirect: 'manual',
          headers: {
            ...(fuzz.contentType === undefined ? {} : { 'content-type': fuzz.contentType }),
            ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
            ...(random.oneIn(6) ? { 'x-supabase-api-version': random.pick(['2024-01-01', '1999-01-01', 'x']) } : {}),
          },
          ...(fuzz.body === undefined ? {} : { body: fuzz.body }),
        });
        const text = await response.text();
        const key = `${fuzz.method} ${fuzz.pattern}`;
        seen.set(key, (seen.get(key) ?? new Set()).add(response.status));
        if (response.status === 503) busy += 1;
        const fault = find(fuzz, response, text);
        if (fault !== undefined && !faults.has(`${key}: ${fault}`)) {
          faults.set(
            `${key}: ${fault}`,
            `case ${number}: ${JSON.stringify(fuzz).slice(0, 1500)}\n${text.slice(0, 500)}`,
          );
        }
        if (response.ok && text.startsWith('{')) learn(JSON.parse(text));
      }
    };
    const watch = setInterval(() => reportProgress(`fuzz: ${next} requests, ${faults.size} faults`), 10_000);
    t.teardown(() => clearInterval(watch));
    const until = performance.now() + SECONDS * 1000;
    await Promise.all(Array.from({ length: LANES }, () => runLane(until)));

    for (const [fault, example] of faults) t.fail(`${fault}\n${example}\n${whatWasLogged(example)}`);
    t.comment(`${next} requests, ${busy} of them answered 503`);
    for (const [key, statuses] of [...seen].sort()) t.comment(`${key}: ${[...statuses].sort().join(' ')}`);
    t.equal(seen.size, operations.length, 'every route was asked');
    t.ok(busy < next / 20, 'and most requests were served');
    t.equal((await call('GET', '/health')).status, 200);
  },
);
