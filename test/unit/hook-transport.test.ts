/** What a hook may answer, and what becomes of it; real connections throughout. */
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { loadConfig } from '../../src/server/config/load.js';
import { ApiError } from '../../src/server/errors.js';
import { HookFailure } from '../../src/server/hooks/failure.js';
import { openHookCaller } from '../../src/server/hooks/hook-caller.js';
import { openHttpHook } from '../../src/server/hooks/http.js';
import type { ResolveName } from '../../src/server/outbound/public-address.js';
import { HOOK_SECRET, type HookReceiver, hookSettingsOf, openHookReceiver, reply } from '../support/hook-receiver.js';
import { testEnvironment } from '../support/server.js';
import { type Test, t } from '../support/tap.js';

const NAME = 'BEFORE_USER_CREATED';

interface Line {
  readonly message: string;
  readonly fields: Record<string, unknown>;
}

function openCaller(t: Test, url: string, settings: Record<string, string> = {}) {
  const environment = testEnvironment('postgres://localhost/none', { ...hookSettingsOf(NAME, url), ...settings });
  const { config } = loadConfig({ environment, file: null });
  const lines: Line[] = [];
  const write = (fields: object, message: string) => void lines.push({ message, fields: { ...fields } });
  const caller = openHookCaller({
    name: 'before_user_created',
    settings: config.hooks.before_user_created,
    db: undefined as never,
    log: { info: write, warn: write, error: write } as never,
  });
  t.teardown(caller.close);
  const run = () =>
    caller.call({ user: { email: 'ann@example.com' } }, '192.0.2.1').then(
      (output) => ({ output }),
      (error: unknown) => {
        if (!(error instanceof HookFailure)) throw error;
        return { failure: error, shown: error.shown };
      },
    );
  return { run, lines };
}

const expectError = async (t: Test, run: () => Promise<object>, status: number, code: string, message: string) => {
  const { shown } = (await run()) as { shown?: ApiError };
  t.ok(shown instanceof ApiError, message);
  t.match(shown, { status, errorCode: code, message });
};

t.test('answers of a hook', async (t) => {
  const receiver = await openHookReceiver(t, () => ({}));
  const { run, lines } = openCaller(t, receiver.url);
  const json = { 'content-type': 'application/json; charset=utf-8' };
  const expect = async (answer: HookReceiver['answer'], status: number, code: string, message: string) => {
    receiver.answer = answer;
    await expectError(t, run, status, code, message);
  };

  for (const answer of [reply(204, '', {}), reply(202, '{}'), reply(200, 'null', json), reply(200, '{"error":{}}')]) {
    receiver.answer = () => answer;
    t.ok('output' in (await run()));
  }
  await expect(
    () => reply(302, '', { location: `${receiver.url}/x` }),
    500,
    'unexpected_failure',
    'Unexpected status code returned from hook: 302',
  );
  await expect(
    () => reply(200, '<html>', { 'content-type': 'text/html' }),
    400,
    'hook_payload_invalid_content_type',
    'Invalid JSON response. Received content-type: text/html',
  );
  await expect(
    () => reply(200, '{}', {}),
    400,
    'hook_payload_invalid_content_type',
    'Invalid Content-Type: Missing Content-Type header',
  );
  const large = Buffer.alloc(5 * 1_048_576, 32);
  await expect(
    () => reply(200, large),
    422,
    'hook_payload_over_size_limit',
    'Payload size exceeded size limit of 204800 bytes',
  );
  for (const text of ['', 'true', '[]', '"x"', '{"a":', '{"error":7}', '{"error":{"message":7}}']) {
    await expect(() => reply(200, text), 500, 'unexpected_failure', 'Error unmarshaling JSON output.');
  }
  await expect(() => reply(400, 'my own words'), 500, 'unexpected_failure', 'Invalid payload sent to hook');
  t.match(lines.at(-1), { fields: { answer: 'my own words', status: 400, success: false } });
  await expect(() => reply(401), 500, 'unexpected_failure', 'Hook requires authorization token');
  await expect(() => reply(503), 500, 'unexpected_failure', 'Service currently unavailable due to hook');
  const refuse = (error: object) => () => ({ error });
  await expect(refuse({ http_code: 403, message: 'no' }), 403, 'unknown', 'no');
  await expect(refuse({ message: 'no' }), 500, 'unexpected_failure', 'no');
  for (const http_code of [99, 200, 302, 600]) {
    await expect(refuse({ http_code, message: 'no' }), 500, 'unexpected_failure', 'no');
  }
  receiver.answer = refuse({ http_code: 400, message: 'ä'.repeat(2000) });
  const { shown } = (await run()) as unknown as { shown: ApiError };
  t.equal(Buffer.byteLength(shown.message), 1024);
  for (const { fields } of lines) t.notMatch(JSON.stringify(fields), /ann@example|whsec/);
  t.match(lines.at(-1)!.fields, {
    action: 'run_hook',
    hook: receiver.url,
    hook_name: 'before_user_created',
    tries: 1,
    duration: Number,
    webhook_id: String,
  });
});

t.test('Retry-After is honoured, with one webhook-id for all tries', async (t) => {
  let calls = 0;
  const receiver = await openHookReceiver(t, () => {
    calls += 1;
    return calls < 3 ? reply(429, '', { 'retry-after': '0' }) : {};
  });
  const { run, lines } = openCaller(t, receiver.url);
  t.ok('output' in (await run()));
  t.equal(new Set(receiver.calls.map(({ headers }) => headers['webhook-id'])).size, 1);
  t.match(lines.at(-1)!.fields, { tries: 3, success: true });
  receiver.answer = () => reply(503, '', { 'retry-after': '60' });
  const before = receiver.calls.length;
  await expectError(t, run, 500, 'unexpected_failure', 'Service currently unavailable due to hook');
  t.equal(receiver.calls.length, before + 1, 'a longer pause than is left is not waited for');
});

t.test('time-outs: a hook that hangs, half a body, a port without a listener', async (t) => {
  const receiver = await openHookReceiver(t, () => () => undefined);
  const { run } = openCaller(t, receiver.url, { [`HOOK_${NAME}_TIMEOUT`]: '300ms' });
  const timedOut = 'Failed to reach hook within maximum time of 0.300000 seconds';
  await expectError(t, run, 422, 'hook_timeout', timedOut);
  let status = 200;
  receiver.answer = () => (response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': '100' });
    response.write('{"a":', () => response.destroy());
  };
  await expectError(t, run, 422, 'hook_timeout', timedOut);
  status = 202;
  await expectError(t, run, 422, 'hook_timeout', timedOut);

  const closed = createServer();
  const port = await new Promise<number>((resolve) =>
    closed.listen(0, '127.0.0.1', () => resolve((closed.address() as { port: number }).port)),
  );
  await new Promise((resolve) => closed.close(resolve));
  const gone = openCaller(t, `http://127.0.0.1:${port}/hook?key=secret`);
  const started = performance.now();
  await expectError(t, gone.run, 422, 'hook_timeout_after_retry', 'Failed to reach hook after maximum retries');
  t.ok(performance.now() - started > 3000, 'three tries with pauses');
  t.match(gone.lines.at(-1)!.fields, { tries: 3, error: /ECONNREFUSED/, hook: `http://127.0.0.1:${port}/hook` });
});

t.test('the breaker opens after ten failures, and not for bad answers', async (t) => {
  const receiver = await openHookReceiver(t, () => reply(500));
  const { run } = openCaller(t, receiver.url, { [`HOOK_${NAME}_TIMEOUT`]: '200ms' });
  for (let i = 0; i < 12; i++) await run();
  t.equal(receiver.calls.length, 12);
  receiver.answer = () => () => undefined;
  for (let i = 0; i < 10; i++) await run();
  const { shown } = (await run()) as unknown as { shown: ApiError };
  t.match(shown, { status: 503, message: 'Service currently unavailable due to hook' });
  t.ok(shown.retryAfterSeconds! >= 1);
  t.equal(receiver.calls.length, 22, 'not called');
});

t.test('no more calls at a time than permitted', async (t) => {
  let running = 0;
  let most = 0;
  const receiver = await openHookReceiver(t, async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setTimeout(resolve, 50));
    running -= 1;
    return {};
  });
  const { run } = openCaller(t, receiver.url, { [`HOOK_${NAME}_MAX_CONCURRENCY`]: '2' });
  const answers = await Promise.all(Array.from({ length: 6 }, run));
  t.ok(answers.every((answer) => 'output' in answer));
  t.equal(most, 2);
  receiver.answer = () => () => undefined;
  const [, , third] = [run(), run(), run()];
  await expectError(t, () => third!, 503, 'service_unavailable', 'Service currently unavailable due to hook');
});

t.test('several secrets sign at once, and headers are sent', async (t) => {
  const receiver = await openHookReceiver(t, () => ({}));
  const other = 'v1,whsec_b3RoZXItc2VjcmV0LW9mLXRoZS10ZXN0cy1vZi1ob29rcw==';
  const { run } = openCaller(t, receiver.url, {
    [`HOOK_${NAME}_SECRETS`]: `${HOOK_SECRET}|${other}`,
    [`HOOK_${NAME}_HEADERS`]: '{"X-Api-Key": ["gate"]}',
  });
  await run();
  const { headers, text } = receiver.calls[0]!;
  for (const secret of [HOOK_SECRET, other]) {
    t.doesNotThrow(() => new Webhook(secret.replace('v1,', '')).verify(text, headers as Record<string, string>));
  }
  t.equal(String(headers['webhook-signature']).split(' ').length, 2);
  t.equal(headers['x-api-key'], 'gate');
});

t.test('a call resolves the name of its host once: a later address does not get the second try', async (t) => {
  let isBusy = true;
  const receiver = await openHookReceiver(t, () => ({}));
  const port = new URL(receiver.url).port;
  const strangers: string[] = [];
  const stranger = createHttpServer((request, response) => {
    strangers.push(request.url ?? '');
    response.end();
  });
  await new Promise<void>((resolve) => stranger.listen(Number(port), '127.0.0.2', resolve));
  t.teardown(() => stranger.close());
  const addresses: string[] = [];
  /** A resolver in the hands of an attacker: each answer is another one. */
  const rebinding: ResolveName = (_name, _options, done) => {
    const address = addresses.length % 2 === 0 ? '127.0.0.1' : '127.0.0.2';
    addresses.push(address);
    done(null, [{ address, family: 4 }]);
  };
  const environment = testEnvironment('postgres://localhost/none', hookSettingsOf(NAME, receiver.url));
  const settings = loadConfig({ environment, file: null }).config.hooks.before_user_created;
  const hook = openHttpHook(`http://localhost:${port}/hook`, settings, undefined, rebinding);
  t.teardown(hook.close);
  const tries: number[] = [];
  // The receiver closes each connection, so that every try opens one.
  receiver.answer = () => (response) =>
    void response.writeHead(isBusy ? 503 : 200, { 'retry-after': '0', connection: 'close' }).end('{}');
  await hook.call('1', '{}', (number) => {
    tries.push(number);
    isBusy = number < 3;
  });
  t.same(tries, [1, 2, 3]);
  t.equal(receiver.calls.length, 3);
  t.same(addresses, ['127.0.0.1']);
  t.same(strangers, []);
});

t.test('a name that did not resolve is looked up again by the next try', async (t) => {
  const receiver = await openHookReceiver(t, () => ({}));
  let looked = 0;
  const failing: ResolveName = (_name, _options, done) => {
    looked += 1;
    if (looked === 1) done(Object.assign(new Error('no answer'), { code: 'EAI_AGAIN' }), []);
    else done(null, [{ address: '127.0.0.1', family: 4 }]);
  };
  const environment = testEnvironment('postgres://localhost/none', hookSettingsOf(NAME, receiver.url));
  const settings = loadConfig({ environment, file: null }).config.hooks.before_user_created;
  const hook = openHttpHook(`http://localhost:${new URL(receiver.url).port}/hook`, settings, undefined, failing);
  t.teardown(hook.close);
  t.equal((await hook.call('1', '{}', () => undefined)).status, 200);
  t.equal(looked, 2);
});
