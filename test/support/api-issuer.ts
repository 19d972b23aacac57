/** `npm start` behind a door where tests add keys to its key set, count who fetches it, and take it away. */
import { createPrivateKey, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportJWK, type JWK, type JWTHeaderParameters, SignJWT } from 'jose';
import { openApp } from './authenticator-app.js';
import { startDev } from './dev-server.js';
import { actWith, type OrganizationServer, type Person } from './organizations.js';
import { call, type TestServer } from './server.js';
import { startStubServer } from './stub-server.js';
import type { Test } from './tap.js';

type Claims = Readonly<Record<string, unknown>>;

/** A key that the set of the issuer has or gets. */
export interface IssuerKey {
  readonly kid: string;
  readonly alg: string;
  readonly key: KeyObject | Uint8Array;
}

export interface ApiIssuer extends OrganizationServer {
  /** The issuer of its tokens, which an API calls. */
  readonly issuer: string;
  readonly adminToken: string;
  /** The key that it signs with. */
  readonly own: IssuerKey & { readonly publicJwk: JWK };
  /** Publishes a new key beside its own, as a rotation does. */
  addKey(): Promise<IssuerKey>;
  countFetches(): number;
  /** The key set answers 500, or is there again. */
  setKeysAway(isAway: boolean): void;
  /** Has the person verify a second factor, and keeps the tokens. */
  secure(person: Person): Promise<void>;
}

const KEY_SET = '/.well-known/jwks.json';

/** Signs as the issuer would. @param header beside alg and kid */
export const signWith = ({ alg, kid, key }: IssuerKey, claims: Claims, header: object = {}): Promise<string> =>
  new SignJWT({ ...claims }).setProtectedHeader({ alg, kid, typ: 'JWT', ...header } as JWTHeaderParameters).sign(key);

export async function openApiIssuer(t: Test): Promise<ApiIssuer> {
  const door = await startStubServer(t);
  const settings = {
    AUTH_JWT_ISSUER: door.url,
    AUTH_MFA_TOTP_SKEW: '2',
    AUTH_SESSIONS_CHECK_ACCESS_TOKEN: 'true',
  };
  const dev = await startDev(t, settings);
  const signing = JSON.parse(readFileSync(join(dev.directory, 'signing-key.json'), 'utf8'));
  const { keys: published } = (await call(dev.url, 'GET', KEY_SET)).body as { keys: JWK[] };
  const added: JWK[] = [];
  let isAway = false;
  door.answers.set(KEY_SET, () => (isAway ? { status: 500, body: {} } : { body: { keys: [...published, ...added] } }));
  door.answers.set('/user', async ({ headers }) => {
    const { status, body } = await call(dev.url, 'GET', '/user', {
      headers: { authorization: String(headers.authorization) },
    });
    return { status, body };
  });
  const server = {
    url: dev.url,
    call: (method, path, options) => call(dev.url, method, path, options),
    post: (path, body) => call(dev.url, 'POST', path, { body }),
  } as TestServer;
  const people = actWith(server);
  return {
    ...people,
    issuer: door.url,
    adminToken: dev.adminToken,
    own: {
      kid: signing.kid,
      alg: signing.alg,
      key: createPrivateKey({ key: signing, format: 'jwk' }),
      publicJwk: published.find(({ kid }) => kid === signing.kid)!,
    },
    async addKey() {
      const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const made = { kid: randomUUID(), alg: 'ES256', key: privateKey };
      added.push({ ...(await exportJWK(publicKey)), kid: made.kid, alg: made.alg, use: 'sig' });
      return made;
    },
    countFetches: () => door.requests.filter(({ path }) => path === KEY_SET).length,
    setKeysAway: (away) => {
      isAway = away;
    },
    async secure(person) {
      const factor = (await people.as(person, 'POST', '/factors', { factor_type: 'totp', friendly_name: 'app' })).body;
      const challenge = await people.as(person, 'POST', `/factors/${factor.id}/challenge`);
      const { body } = await people.as(person, 'POST', `/factors/${factor.id}/verify`, {
        challenge_id: challenge.body.id,
        code: openApp(factor.totp.secret).nextCode(),
      });
      person.access = body.access_token;
      person.refresh = body.refresh_token;
    },
  };
}
