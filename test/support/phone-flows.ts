import { openTestServer, type TestServer } from './server.js';
import { type FakeGateways, type GatewayName, startFakeGateways } from './sms-gateways.js';
import type { Test } from './tap.js';
import { until } from './until.js';

export interface PhoneFlow extends TestServer {
  readonly gateways: FakeGateways;
  /** The code of the next unread text to a number. Waits for it, since a text may be sent after the response. */
  nextCode(phone: string): Promise<string>;
  /** Waits until the gateway has received so many requests in total. */
  untilTexts(count: number): Promise<void>;
  /** Ends all intervals and delays, so that a number may be used again. */
  forgetLimits(): Promise<unknown>;
}

/** A server with a fake SMS gateway, and without intervals, so that a test may request texts repeatedly. */
export async function openPhoneFlow(
  t: Test,
  gateway: GatewayName,
  settings: Record<string, string> = {},
): Promise<PhoneFlow> {
  const gateways = await startFakeGateways(t);
  const server = await openTestServer(t, {
    EXTERNAL_PHONE_ENABLED: 'true',
    SMS_MAX_FREQUENCY: '0',
    RATE_LIMIT_SMS_SENT: '100000',
    ...gateways.settings(gateway),
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
