/** A device that signs a user in (RFC 8628). */
import { DEVICE_GRANT } from '../../src/server/oauth/client-fields.js';
import { addClient, oauthSettings, type Person, postForm, type TestClient } from './oauth-client.js';
import type { Answer, TestServer } from './server.js';

/** Settings of a server with the device grant on, and a page of the application for the codes. */
export const deviceSettings = (more: Record<string, string> = {}): Record<string, string> =>
  oauthSettings({ OAUTH_SERVER_DEVICE_GRANT_ENABLED: 'true', OAUTH_SERVER_DEVICE_PATH: '/device', ...more });

/** @param more fields of the client; public by default, without redirect URIs */
export const addDeviceClient = (server: TestServer, more: Record<string, unknown> = {}): Promise<TestClient> =>
  addClient(server, {
    redirect_uris: undefined,
    grant_types: [DEVICE_GRANT, 'refresh_token'],
    client_name: 'Living room',
    ...more,
  });

/** @returns the answer of the device authorization endpoint */
export async function beginDevice(
  server: TestServer,
  client: Pick<TestClient, 'id'>,
  more: Readonly<Record<string, string>> = {},
): Promise<Record<string, string>> {
  const answer = await postForm(server, '/oauth/device_authorization', {
    client_id: client.id,
    scope: 'email',
    ...more,
  });
  if (answer.status !== 200) throw new Error(`device authorization: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

export const pollDevice = (
  server: TestServer,
  client: Pick<TestClient, 'id'>,
  deviceCode: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Answer> =>
  postForm(server, '/oauth/token', {
    grant_type: DEVICE_GRANT,
    client_id: client.id,
    device_code: deviceCode,
    ...more,
  });

/** The user types the code and decides. */
export const decideDevice = (
  server: TestServer,
  person: Pick<Person, 'token'>,
  userCode: string,
  action = 'approve',
): Promise<Answer> =>
  server.call('POST', `/oauth/device/${userCode}/consent`, { bearer: person.token, body: { action } });

/** Lets the time pass that a device has to wait. */
export const letDevicesPoll = (server: TestServer): Promise<unknown> =>
  server.database.admin.query("update oauth_authorizations set polled_at = now() - interval '1 hour'");
