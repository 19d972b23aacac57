import type { Test } from 'tap';
import { openTestServer, type TestServer } from './server.js';
import { type FakeGateways, type GatewayName, startFakeGateways } from './sms-gateways.js';
import { until } from './until.js';

export interface PhoneFlow extends TestServer {
  readonly gateways: FakeGateways;
  /** The code in the next text to a number that has not been read yet, waited for: it may leave after the answer. */
  nextCode(phone: string): Promise<string>;
  /** Waits until the gateway was asked so often in all. */
  untilTexts(count: number): Promise<void>;
  /** Ends every interval and delay, so that a number may be asked for again. */
  forgetLimits(): Promise<unknown>;
}

/** A server that texts through a fake gateway, without intervals, so that a test may ask twice. */
export async function openPhoneFlow(
  t: Test,
  gateway: GatewayName,
  settings: Record<string, string> = {},
): Promise<PhoneFlow> {
  const gateways = await startFakeGateways(t);
  const environment = Object.entries(gateways.environment(gateway)).map(([name, value]) => [
    name.replace(/^AUTH_/, ''),
    value,
  ]);
  const server = await openTestServer(t, {
    EXTERNAL_PHONE_ENABLED: 'true',
    SMS_MAX_FREQUENCY: '0',
    RATE_LIMIT_SMS_SENT: '100000',
    ...Object.fromEntries(environment),
    ...settings,
  });
  const read = new Set<unknown>();
  return {
    ...server,
    gateways,
    async nextCode(phone) {
      const find = () => gateways.requests.find((request) => !read.has(request) && request.body.includes(phone));
      await until(() => find() !== undefined);
      const request = find()!;
      read.add(request);
      const { fields } = request;
      const text = fields['Body'] ?? fields['body'] ?? fields['message'] ?? fields['text'] ?? '';
      return /\d{6}/.exec(text)?.[0] ?? '';
    },
    untilTexts: (count) => until(() => gateways.requests.length >= count),
    forgetLimits: () => server.database.admin.query('delete from rate_counters'),
  };
}
