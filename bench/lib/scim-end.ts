/** How soon the end of a person is known to another process: the time to the first refresh that it refuses. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { FakeSamlIdp } from '../../test/support/fake-saml-idp.js';
import { findRefreshToken } from './requests.js';
import { patchBody, provision, ScimConnection } from './scim-load.js';
import type { ServerUnderTest } from './servers.js';

const BASE = 'http://localhost:9999/sso/saml';
const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';
/** Of refreshes before the person is ended, so that one is always under way. */
const BEFORE_MS = 30;
const LATE_MS = 10_000;

export interface EndedPerson {
  /** From the PATCH, sent, to the answer of the first refused refresh. */
  readonly refusedMs: number;
  /** The PATCH itself. */
  readonly patchMs: number;
  /** Refreshes that were sent after the answer to the PATCH, and not refused. */
  readonly acceptedAfter: number;
}

/**
 * @param server which is told
 * @param other which refreshes
 */
export async function endPeople(
  server: ServerUnderTest,
  other: ServerUnderTest,
  token: string,
  idp: FakeSamlIdp,
  count: number,
): Promise<EndedPerson[]> {
  const scim = new ScimConnection(server.url, token);
  const refreshes = new ScimConnection(other.url, null);
  const ended: EndedPerson[] = [];
  for (let n = 0; n < count; n += 1) {
    const userName = `${randomUUID()}@bench.example`;
    const id = await provision(scim, userName);
    ended.push(await endPerson(scim, refreshes, id, await signIn(server, idp, userName)));
  }
  scim.close();
  refreshes.close();
  return ended;
}

async function endPerson(
  scim: ScimConnection,
  refreshes: ScimConnection,
  id: string,
  firstToken: string,
): Promise<EndedPerson> {
  let [answeredMs, acceptedAfter] = [Number.POSITIVE_INFINITY, 0];
  const refused = (async (): Promise<number> => {
    const endMs = performance.now() + LATE_MS;
    for (let token: string | undefined = firstToken; performance.now() < endMs; ) {
      const sentMs = performance.now();
      const body = JSON.stringify({ refresh_token: token });
      const answer = await refreshes.call('POST', '/token?grant_type=refresh_token', body, 'application/json');
      if (answer.status === 400) return performance.now();
      token = findRefreshToken(Buffer.from(answer.body));
      if (answer.status !== 200 || token === undefined) throw new Error(`refresh: ${answer.status} ${answer.body}`);
      if (sentMs > answeredMs) acceptedAfter += 1;
    }
    throw new Error(`no refresh was refused within ${LATE_MS} ms`);
  })();
  await pause(BEFORE_MS);
  const sentMs = performance.now();
  await scim.want(200, 'PATCH', `/scim/v2/Users/${id}`, patchBody({ op: 'Replace', path: 'active', value: 'False' }));
  answeredMs = performance.now();
  return { refusedMs: (await refused) - sentMs, patchMs: answeredMs - sentMs, acceptedAfter };
}

/** At the company. @returns a refresh token. @throws when it was another account, or none */
async function signIn({ url }: ServerUnderTest, idp: FakeSamlIdp, userName: string): Promise<string> {
  const message = idp.respond({
    acsUrl: `${BASE}/acs`,
    audience: `${BASE}/metadata`,
    nameId: { value: userName, format: PERSISTENT },
    attributes: { mail: userName },
  });
  const answer = await fetch(`${url}/sso/saml/acs`, {
    method: 'POST',
    body: new URLSearchParams({ SAMLResponse: message }),
    redirect: 'manual',
  });
  const landing = new URL(answer.headers.get('location') ?? url);
  const token = new URLSearchParams(landing.hash.slice(1)).get('refresh_token');
  if (token === null) throw new Error(`a sign-in at the company: ${answer.status} ${landing.href.slice(0, 300)}`);
  return token;
}
