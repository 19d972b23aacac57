import { createSecretKey, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import {
  isBrowserSecret,
  makeBrowserSecret,
  makeFlowSecrets,
  openState,
} from '../../src/server/external/flow-state.js';
import { openRefreshToken, sealRefreshToken } from '../../src/server/sessions/refresh-token.js';
import { anyCharacter, holds } from '../support/properties.js';
import { t } from '../support/tap.js';

const key = createSecretKey(randomBytes(32));
const other = createSecretKey(randomBytes(32));
const flowKey = createSecretKey(randomBytes(32));
const otherFlowKey = createSecretKey(randomBytes(32));

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Ways to change a text of base64url. */
const damage = fc.oneof(
  fc.record({ kind: fc.constant('bit' as const), at: fc.nat(), bit: fc.nat(7) }),
  fc.record({
    kind: fc.constant('character' as const),
    at: fc.nat(),
    to: fc.string({ unit: anyCharacter, minLength: 1, maxLength: 1 }),
  }),
  // The last character may carry bits that decoding drops.
  fc.record({ kind: fc.constant('last' as const), to: fc.constantFrom(...ALPHABET) }),
  fc.record({ kind: fc.constant('cut' as const), at: fc.nat() }),
  fc.record({
    kind: fc.constant('append' as const),
    text: fc.string({ unit: anyCharacter, minLength: 1, maxLength: 8 }),
  }),
  fc.record({ kind: fc.constant('insert' as const), at: fc.nat(), text: fc.string({ minLength: 1, maxLength: 4 }) }),
);
type Damage = typeof damage extends fc.Arbitrary<infer D> ? D : never;

function apply(text: string, change: Damage): string {
  const bytes = Buffer.from(text, 'base64url');
  switch (change.kind) {
    case 'bit':
      bytes[change.at % bytes.length]! ^= 1 << change.bit;
      return bytes.toString('base64url');
    case 'character': {
      const at = change.at % text.length;
      return text.slice(0, at) + change.to + text.slice(at + 1);
    }
    case 'last':
      return text.slice(0, -1) + change.to;
    case 'cut':
      return text.slice(0, change.at % text.length);
    case 'append':
      return text + change.text;
    case 'insert': {
      const at = change.at % text.length;
      return text.slice(0, at) + change.text + text.slice(at);
    }
  }
}

t.test(
  'SEC-54: a refresh token opens as it was sealed, under its key alone, and not when anything is changed',
  async (t) => {
    const property = fc.property(fc.uuid(), fc.maxSafeNat(), damage, (sessionId, generation, change) => {
      const token = sealRefreshToken({ sessionId, generation }, key);
      const opened = openRefreshToken(token, [other, key]);
      const changed = apply(token, change);
      return (
        opened?.sessionId === sessionId &&
        opened.generation === generation &&
        openRefreshToken(token, [other]) === undefined &&
        (changed === token || openRefreshToken(changed, [key, other]) === undefined)
      );
    });
    holds(t, property, 3000);
  },
);

t.test('SEC-54: two tokens are equal only if session and generation are', async (t) => {
  const part = fc.record({ sessionId: fc.uuid(), generation: fc.oneof(fc.nat(300), fc.maxSafeNat()) });
  const property = fc.property(part, part, (a, b) => {
    const isSame = a.sessionId === b.sessionId && a.generation === b.generation;
    return (sealRefreshToken(a, key) === sealRefreshToken(b, key)) === isSame;
  });
  holds(t, property);
});

t.test('SEC-54, SEC-60: random text opens nothing, and never throws', async (t) => {
  const text = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 80 }),
    fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes).toString('base64url')),
    fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('base64url')),
  );
  holds(
    t,
    fc.property(text, (value) => {
      return openRefreshToken(value, [key]) === undefined && openState(value, [flowKey]) === undefined;
    }),
    3000,
  );
});

t.test('SEC-60: a state yields its secrets under its key only, and not when changed', async (t) => {
  const property = fc.property(damage, (change) => {
    const made = makeFlowSecrets(flowKey);
    const opened = openState(made.state, [otherFlowKey, flowKey]);
    const changed = apply(made.state, change);
    const isWhole =
      opened !== undefined &&
      opened.flowId === made.flowId &&
      opened.codeVerifier === made.codeVerifier &&
      opened.nonce === made.nonce &&
      opened.state === made.state;
    return (
      isWhole &&
      openState(made.state, [otherFlowKey]) === undefined &&
      (changed === made.state || openState(changed, [flowKey, otherFlowKey]) === undefined)
    );
  });
  holds(t, property, 3000);
});

t.test('SEC-60, SEC-61: state, verifier and nonce reveal nothing of one another, and have valid lengths', async (t) => {
  const seen = new Set<string>();
  for (let times = 0; times < 500; times++) {
    const { state, codeVerifier, nonce } = makeFlowSecrets(flowKey);
    const browser = makeBrowserSecret();
    t.ok(isBrowserSecret(browser));
    for (const secret of [state, codeVerifier, nonce, browser]) {
      if (!/^[A-Za-z0-9_-]{43}$/.test(secret)) t.fail(`${secret} does not fit RFC 7636 4.1`);
      seen.add(secret);
    }
  }
  t.equal(seen.size, 2000, 'no two are alike');
});
