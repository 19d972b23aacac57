import type { AssertionJob, RegistrationJob } from '../../src/workers/webauthn-wire.js';
import { Authenticator, type AuthenticatorOptions, type Lies, TEST_ORIGIN } from '../support/authenticator.js';
import { openTestPool } from '../support/crypto-pool.js';
import { t } from '../support/tap.js';

const rp = { id: 'example.com' };
const user = { id: Buffer.from('3f0b7c52-94a1-4f3c-8d55-0a6c1f2f9b11').toString('base64url') };
const challenge = Buffer.alloc(32, 7).toString('base64url');
const expected = { challenge, rpId: rp.id, origins: [TEST_ORIGIN], requireUserVerification: false };

/** For all tests that only use it: its thread loads the library once. */
const pool = await openTestPool(t);

function registration(authenticator: Authenticator, lies: Lies = {}, job: Partial<RegistrationJob> = {}) {
  const { id, response } = authenticator.create({ rp, user, challenge }, lies) as unknown as {
    id: string;
    response: { clientDataJSON: string; attestationObject: string };
  };
  return {
    ...expected,
    credentialId: id,
    clientDataJson: response.clientDataJSON,
    attestationObject: response.attestationObject,
    algorithms: [-7, -8, -257],
    ...job,
  };
}

function assertion(authenticator: Authenticator, publicKey: string, lies: Lies = {}, job: Partial<AssertionJob> = {}) {
  const { id, response } = authenticator.get({ rpId: rp.id, challenge }, lies) as unknown as {
    id: string;
    response: { clientDataJSON: string; authenticatorData: string; signature: string };
  };
  return {
    ...expected,
    credentialId: id,
    clientDataJson: response.clientDataJSON,
    authenticatorData: response.authenticatorData,
    signature: response.signature,
    publicKey,
    ...job,
  };
}

async function registered(options: AuthenticatorOptions = {}) {
  const authenticator = new Authenticator(options);
  const verified = await pool.verifyRegistration(registration(authenticator));
  if (verified.refusal !== undefined) throw new Error(verified.detail);
  return { authenticator, verified };
}

for (const algorithm of ['ES256', 'EdDSA', 'RS256'] as const) {
  for (const attestation of ['none', 'packed'] as const) {
    t.test(`${algorithm} with ${attestation} attestation is registered and used`, async (t) => {
      const aaguid = 'ee882879-721c-4913-9775-3dfcce97072a';
      const { authenticator, verified } = await registered({ algorithm, attestation, aaguid });
      t.match(verified, { aaguid, attestationFormat: attestation, signCount: 0, backupEligible: true, backedUp: true });
      const used = await pool.verifyAssertion(
        assertion(authenticator, verified.publicKey, { counter: 9, flags: { uv: false } }),
      );
      t.same(used, { signCount: 9, userVerified: false, backupEligible: true, backedUp: true });
    });
  }
}

t.test('false registrations are refused with their reason', async (t) => {
  const refusalOf = async (lies: Lies, job: Partial<RegistrationJob> = {}, options: AuthenticatorOptions = {}) =>
    (await pool.verifyRegistration(registration(new Authenticator(options), lies, job))).refusal;
  t.equal(await refusalOf({ origin: 'https://evil.example.com' }), 'origin');
  t.equal(await refusalOf({ origin: 'http://app.example.com' }), 'origin');
  t.equal(await refusalOf({ challenge: Buffer.alloc(32, 8).toString('base64url') }), 'challenge');
  t.equal(await refusalOf({ type: 'webauthn.get' }), 'ceremony');
  t.equal(await refusalOf({ rpId: 'evil.example.com' }), 'rejected');
  t.equal(await refusalOf({ flags: { up: false } }), 'rejected');
  t.equal(await refusalOf({ flags: { uv: false } }, { requireUserVerification: true }), 'rejected');
  t.equal(await refusalOf({ flags: { be: false, bs: true } }), 'rejected', 'backed up without being eligible');
  t.equal(await refusalOf({}, { algorithms: [-257] }), 'rejected', 'an algorithm that was not offered');
  t.equal(await refusalOf({ otherKey: true }, {}, { attestation: 'packed' }), 'rejected', 'a false attestation');
  t.equal(await refusalOf({}, { credentialId: 'AAAA' }), 'rejected', 'another id than the attested one');
  t.equal(await refusalOf({}, { attestationObject: 'oWFh' }), 'unreadable');
  t.equal(await refusalOf({}, { clientDataJson: 'AAAA' }), 'unreadable');
  const long = Buffer.alloc(1024, 1).toString('base64url');
  t.equal(await refusalOf({}, {}, { credentialId: long }), 'rejected', 'an id of 1024 bytes');
  t.equal(await refusalOf({}), undefined);
});

t.test('false assertions are refused with their reason', async (t) => {
  const { authenticator, verified } = await registered();
  const refusalOf = async (lies: Lies, job: Partial<AssertionJob> = {}) =>
    (await pool.verifyAssertion(assertion(authenticator, verified.publicKey, lies, job))).refusal;
  t.equal(await refusalOf({ origin: 'https://evil.example.com' }), 'origin');
  t.equal(await refusalOf({ challenge: Buffer.alloc(32, 8).toString('base64url') }), 'challenge');
  t.equal(await refusalOf({ type: 'webauthn.create' }), 'ceremony');
  t.equal(await refusalOf({ rpId: 'evil.example.com' }), 'rejected');
  t.equal(await refusalOf({ otherKey: true }), 'rejected');
  t.equal(await refusalOf({ flags: { up: false } }), 'rejected');
  t.equal(await refusalOf({ flags: { uv: false } }, { requireUserVerification: true }), 'rejected');
  t.equal(await refusalOf({ topOrigin: 'https://evil.example.com' }), 'rejected', 'inside a page of another origin');
  t.equal(await refusalOf({}, { authenticatorData: 'AAAA' }), 'unreadable');
  t.equal(await refusalOf({}), undefined);
});

t.test('an app of Android may be an origin', async (t) => {
  const origin = 'android:apk-key-hash:sYUC8p5I9SxqFernBPHmDxz_YVZXmVJdW8S-MRCgcSU';
  const verified = await pool.verifyRegistration(
    registration(new Authenticator({ origin }), {}, { origins: [TEST_ORIGIN, origin] }),
  );
  t.equal(verified.refusal, undefined);
});

t.test('more responses than the queue holds are refused at once', async (t) => {
  const pool = await openTestPool(t);
  const job = registration(new Authenticator());
  const results = await Promise.allSettled(Array.from({ length: 600 }, () => pool.verifyRegistration(job)));
  const refused = results.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
  t.equal(refused.length, 600 - 512);
  t.equal(refused[0]!.reason.code, 'CRYPTO_POOL_FULL');
});

t.test('the thread starts with the first response', async (t) => {
  const pool = await openTestPool(t);
  const threads = () => process.report.getReport() as unknown as { workers?: unknown[] };
  const before = threads().workers?.length ?? 0;
  await pool.warmWebAuthn();
  t.equal(threads().workers?.length ?? 0, before + 1);
});
