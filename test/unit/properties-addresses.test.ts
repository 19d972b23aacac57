import { domainToASCII } from 'node:url';
import fc from 'fast-check';
import { normaliseEmail, normalisePhone, spellEmail } from '../../src/server/accounts/addresses.js';
import { ApiError } from '../../src/server/errors.js';
import { anyCharacter, holds } from '../support/properties.js';
import { t } from '../support/tap.js';

/** @returns null for an API error; any other error is a fault */
function accept(normalise: (text: string) => string, text: string): string | null {
  try {
    return normalise(text);
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return null;
    throw error;
  }
}

const chars = [...'aZ09.!#$%&\'*+/=?^_`{|}~-@", ;:<>()[]\\\t\n\r\0', '\u0131', '\u212a', '\uff20', '\u00e9', '\u200b'];
const emails = fc.oneof(
  fc.emailAddress(),
  fc.string({ unit: fc.constantFrom(...chars), maxLength: 30 }),
  fc
    .tuple(
      fc.string({ unit: fc.constantFrom(...chars), maxLength: 6 }),
      fc.array(fc.stringMatching(/^[a-zA-Z0-9-]{0,5}$/), { maxLength: 4 }),
    )
    .map(([local, labels]) => `${local}@${labels.join('.')}`),
  fc.string({ unit: anyCharacter, maxLength: 20 }),
  fc.tuple(fc.nat(300), fc.nat(70)).map(([local, label]) => `${'a'.repeat(local)}@${'b'.repeat(label)}.com`),
);

/** The rules of an address, implemented independently (RFC 5322 atoms, RFC 1123 labels). */
function isAddress(text: string): boolean {
  const at = text.indexOf('@');
  if (at < 1 || at !== text.lastIndexOf('@') || text.length > 255) return false;
  const isAtom = [...text.slice(0, at)].every((c) => /[a-z0-9]/i.test(c) || ".!#$%&'*+/=?^_`{|}~-".includes(c));
  const labels = text.slice(at + 1).split('.');
  const isLabel = (label: string) =>
    label.length >= 1 &&
    label.length <= 63 &&
    !label.startsWith('-') &&
    !label.endsWith('-') &&
    [...label].every((c) => c === '-' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'));
  return isAtom && [...text].every((c) => c.charCodeAt(0) < 128) && labels.every(isLabel);
}

const withAsciiDomain = (text: string): string => {
  const address = text.trim();
  const [local, domain, ...rest] = address.split('@');
  const converts = rest.length === 0 && domain !== undefined && !/[%/:?#@[\]\\]/.test(domain);
  return converts ? `${local}@${domainToASCII(domain)}` : address;
};

t.test('SEC-28: an email is accepted exactly when it is one plain address, in one spelling', async (t) => {
  const property = fc.property(emails, (given) => {
    const text = /[^\0-\x7f]/.test(given) ? withAsciiDomain(given) : given.trim();
    const stored = accept(normaliseEmail, given);
    if (stored === null) return !isAddress(text) || !isAddress(given.trim().replace(/[^\0-\x7f]/g, 'u'));
    const hasOnlyChangedCase = [...text].every((c, i) => stored[i] === (c >= 'A' && c <= 'Z' ? c.toLowerCase() : c));
    return isAddress(text) && hasOnlyChangedCase && stored.length === text.length && normaliseEmail(stored) === stored;
  });
  holds(t, property, 3000);
});

t.test('SEC-28: the address of a sign-in is looked up as it is stored', async (t) => {
  holds(
    t,
    fc.property(emails, (text) => {
      const stored = accept(normaliseEmail, text);
      return stored === null || spellEmail(text) === stored;
    }),
  );
});

const digit = fc.constantFrom(...'0123456789');
const phones = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'0123456789+ -().', '\uff11', '\u0661', '\u00a0', '\n'), maxLength: 20 }),
  fc.string({ unit: digit, minLength: 5, maxLength: 17 }).map((digits) => `+${digits}`),
);

t.test('SEC-29: a number is accepted exactly when it is E.164 of 7 to 15 digits', async (t) => {
  const property = fc.property(phones, (text) => {
    const stored = accept(normalisePhone, text);
    const trimmed = text.trim();
    const bare = (trimmed.startsWith('+') ? trimmed.slice(1) : trimmed).split(' ').join('');
    const isNumber =
      bare.length >= 7 && bare.length <= 15 && !bare.startsWith('0') && [...bare].every((c) => c >= '0' && c <= '9');
    return isNumber ? stored === bare && normalisePhone(stored) === stored : stored === null;
  });
  holds(t, property, 3000);
});

t.test('SEC-29: spaces and the plus sign do not change the number', async (t) => {
  const number = fc
    .tuple(fc.constantFrom(...'123456789'), fc.string({ unit: digit, minLength: 6, maxLength: 14 }))
    .map((parts) => parts.join(''));
  const gaps = fc.array(fc.constantFrom('', ' ', '  '), { minLength: 16, maxLength: 16 });
  const property = fc.property(number, gaps, fc.boolean(), (digits, spaces, hasPlus) => {
    const spelling = [...digits].map((c, i) => c + spaces[i]).join('');
    return normalisePhone(`${hasPlus ? '+' : ''}${spelling}`) === digits;
  });
  holds(t, property);
});
