import {
  normaliseEmail,
  normalisePhone,
  spellDomain,
  spellEmail,
  stripPhone,
} from '../../src/server/accounts/addresses.js';
import { REFUSED_EMAILS, REFUSED_PHONES } from '../support/addresses.js';
import { throwsApiError } from '../support/api-errors.js';
import { t } from '../support/tap.js';

t.test('SEC-28: one plain address, lower-cased, ASCII only', async (t) => {
  const accepted: Record<string, string> = {
    'Ann@Example.COM': 'ann@example.com',
    'a@localhost': 'a@localhost',
    "o'hara+tag@sub.example.org": "o'hara+tag@sub.example.org",
    'a.b-c_d~e@1.2.3.4': 'a.b-c_d~e@1.2.3.4',
    [`${'a'.repeat(243)}@example.com`]: `${'a'.repeat(243)}@example.com`,
    ' ann@example.com\t\n': 'ann@example.com',
    '\u00a0ann@example.com\u3000': 'ann@example.com',
    'Ann@B\u00dccher.example': 'ann@xn--bcher-kva.example',
    'ann@bu\u0308cher.EXAMPLE': 'ann@xn--bcher-kva.example',
    'ann@XN--bcher-kva.example': 'ann@xn--bcher-kva.example',
    'ann@\u4f8b\u3048\u3002jp': 'ann@xn--r8jz45g.jp',
  };
  for (const [email, stored] of Object.entries(accepted)) t.equal(normaliseEmail(email), stored, email);

  for (const email of REFUSED_EMAILS) {
    throwsApiError(t, () => normaliseEmail(email), { status: 400, message: /invalid format/ }, JSON.stringify(email));
  }
  for (const blank of ['', ' ', '\n']) {
    throwsApiError(t, () => normaliseEmail(blank), { message: 'An email address is required' });
  }
  throwsApiError(t, () => normaliseEmail(`${'a'.repeat(244)}@example.com`), {
    message: 'An email address is too long',
  });
});

t.test('SEC-28: the Kelvin sign does not become a k at sign-in', async (t) => {
  t.equal(spellEmail('\u212AIM@example.com'), '\u212Aim@example.com');
  t.equal(spellEmail(' b\u00fccher '), 'b\u00fccher', 'without a domain');
});

t.test('SEC-28: a domain alone is spelled as in addresses', async (t) => {
  const spellings = [
    'B\u00fccher.Example',
    ' bu\u0308cher.example. ',
    'XN--bcher-kva.EXAMPLE',
    'b\u00fccher\u3002example',
  ];
  for (const spelling of spellings) {
    t.equal(spellDomain(spelling), 'xn--bcher-kva.example', spelling);
    t.equal(
      spellEmail(`ann@${spelling.trim().replace(/\.$/, '')}`),
      'ann@xn--bcher-kva.example',
      `in an address: ${spelling}`,
    );
  }
  for (const other of ['', '.', 'b\u00fccher@example', 'a b', '%41.example', '\u00fc'.repeat(300)]) {
    t.equal(spellDomain(other), other.replace(/\.$/, ''), JSON.stringify(other));
  }
});

t.test('SEC-29: one stored form of a number, or none', async (t) => {
  for (const spelling of [
    '+15555550100',
    '15555550100',
    '+1 555 555 0100',
    '1 5 5 5 5 5 5 0 1 0 0',
    ' +15555550100\t\n',
  ]) {
    t.equal(normalisePhone(spelling), '15555550100', spelling);
  }
  for (const spelling of ['', ...REFUSED_PHONES]) {
    throwsApiError(t, () => normalisePhone(spelling), { status: 400, message: /E\.164/ }, JSON.stringify(spelling));
  }
  t.equal(stripPhone('+1 555'), '1555');
});

t.test('SEC-32: hostile lengths are handled at once', async (t) => {
  const hostile: [() => unknown, RegExp][] = [
    [() => normaliseEmail(`${'a.'.repeat(100_000)}@`), /too long/],
    [() => normaliseEmail(`a@${'a-'.repeat(120)}`), /invalid format/],
    [() => normaliseEmail(`a@${'\u00fc'.repeat(100_000)}`), /too long/],
    [() => normaliseEmail(`a@${'\u00fc'.repeat(120)}!`), /invalid format/],
    [() => normalisePhone(' '.repeat(100_000)), /E\.164/],
  ];
  for (const [act, message] of hostile) {
    // The best of five: the machine may be busy, an algorithm that backtracks is slow every time.
    const nanoseconds = Array.from({ length: 5 }, () => {
      const started = process.hrtime.bigint();
      throwsApiError(t, act, { message });
      return Number(process.hrtime.bigint() - started);
    });
    t.ok(Math.min(...nanoseconds) < 5_000_000, 'under 5 ms');
  }
});
