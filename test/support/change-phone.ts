import type { Answer, TestServer } from './server.js';

const CODE = '123456';

/** Settings with which numbers take a fixed code, so that they need no gateway. */
export const testNumbers = (...phones: readonly string[]): Record<string, string> => ({
  SMS_TEST_OTP: phones.map((phone) => `${phone}:${CODE}`).join(','),
});

/** Changes the number of an account, or adds its first one, and confirms it. @param phone one of {@link testNumbers} */
export async function changePhone({ call }: Pick<TestServer, 'call'>, bearer: string, phone: string): Promise<Answer> {
  const asked = await call('PUT', '/user', { bearer, body: { phone } });
  if (asked.status !== 200) return asked;
  return call('POST', '/verify', { body: { type: 'phone_change', phone, token: CODE } });
}
