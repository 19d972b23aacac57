/** An identity provider that sends so many assertions each second. It has signed them before, which would take its processor time. */
import { setTimeout as pause } from 'node:timers/promises';
import { type FakeSamlIdp, openFakeIdp } from '../../test/support/fake-saml-idp.js';
import { samlPrivateKey } from '../../test/support/saml-keys.js';
import { signTestToken } from '../../test/support/tokens.js';
import { HttpConnection } from './http-connection.js';
import type { ServerUnderTest } from './servers.js';

const BASE = 'http://localhost:9999/sso/saml';
const PEOPLE = 500;
const GROUPS = Array.from({ length: 20 }, (_, n) => `group-${n}`);
const TICK_MS = 2;
const LATE_MS = 5000;

/** Settings of a server that takes them; the delay is for what was signed before. */
export const samlSettings = (): Record<string, string> => ({
  SAML_ENABLED: 'true',
  SAML_PRIVATE_KEY: samlPrivateKey(),
  SAML_MAX_ISSUE_DELAY: '10m',
});

/** @returns the identity provider of a company, which the server knows from now on, and its id there */
export async function addCompany(
  { url }: ServerUnderTest,
  secret: string,
): Promise<{ readonly idp: FakeSamlIdp; readonly providerId: string }> {
  const idp = openFakeIdp();
  const answer = await fetch(`${url}/admin/sso/providers`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${signTestToken({ role: 'service_role' }, secret)}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ type: 'saml', metadata_xml: idp.metadata() }),
  });
  if (answer.status !== 201) throw new Error(`the identity provider: ${answer.status} ${await answer.text()}`);
  const { id } = (await answer.json()) as { id: string };
  return { idp, providerId: id };
}

/** @returns whole requests, as browsers of different people send them */
export function signAssertions(idp: FakeSamlIdp, url: string, count: number): Buffer[] {
  return Array.from({ length: count }, (_, n) => {
    const mail = `person-${n % PEOPLE}@acme.example`;
    const nameId = { value: `person-${n % PEOPLE}`, format: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent' };
    const message = idp.respond({
      acsUrl: `${BASE}/acs`,
      audience: `${BASE}/metadata`,
      nameId,
      attributes: { mail, groups: GROUPS },
    });
    const body = `SAMLResponse=${encodeURIComponent(message)}`;
    const head = `POST /sso/saml/acs HTTP/1.1\r\nHost: ${new URL(url).host}\r\nContent-Type: application/x-www-form-urlencoded`;
    return Buffer.from(`${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  });
}

/**
 * Sends them evenly spread, whether or not earlier ones are answered.
 * @returns sign-ins a second. Those that a full queue refuses, or that are not answered in time, are none
 * @throws when one was refused for another reason
 */
export async function sendAssertions(url: string, requests: readonly Buffer[], perSecond: number): Promise<number> {
  const idle: HttpConnection[] = [];
  const all: HttpConnection[] = [];
  const refused: string[] = [];
  let [sent, done, good, doneMs] = [0, 0, 0, 0];
  const open = (): HttpConnection => {
    const connection = new HttpConnection(url, {
      onAnswer(status, answer) {
        done += 1;
        doneMs = performance.now();
        if (status === 302 && answer.includes('access_token')) good += 1;
        else if (!answer.includes('error_code=service_unavailable')) refused.push(answer.toString('utf8', 0, 600));
        idle.push(connection);
      },
      onClose() {
        if (idle.includes(connection)) idle.splice(idle.indexOf(connection), 1);
      },
    });
    all.push(connection);
    return connection;
  };
  const startMs = performance.now();
  for (; sent < requests.length; await pause(TICK_MS)) {
    const due = Math.min(requests.length, ((performance.now() - startMs) / 1000) * perSecond);
    for (; sent < due; sent += 1) (idle.pop() ?? open()).send(requests[sent]!);
  }
  for (const endMs = performance.now() + LATE_MS; done < sent && performance.now() < endMs; ) await pause(TICK_MS);
  for (const connection of all) connection.destroy();
  if (refused.length > 0) throw new Error(`${refused.length} of ${sent} assertions were refused: ${refused[0]}`);
  return good / ((doneMs - startMs) / 1000);
}
