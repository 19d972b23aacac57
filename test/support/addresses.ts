/** Spellings of email addresses and phone numbers that are refused, wherever they are sent. */
import { words } from './words.js';

export const REFUSED_EMAILS: readonly string[] = [
  ...words(`
    ann @example.com ann@ ann@@example.com ann@example.com,eve@evil.com ann@example.com;eve@evil.com
    "a@evil.com"@victim.com ann(comment)@example.com ann@(comment)example.com <ann@example.com> ann@-example.com
    ann@example-.com ann@example..com ann@.example.com ann@example.com. ann@[127.0.0.1] ann@ex\u2100mple.com
    \u00e4nn@example.com ann@\u00fc%2eexample.com ann\uff20example.com \uff41nn@example.com \u212aim@example.com
    adm\u0131n@example.com ann\u200b@example.com ann\t@example.com ann\u007f@example.com ann\u0000@example.com
    ann\\@example.com ann'\\@example.com ann:x@example.com ann@${'a'.repeat(64)}.com
  `),
  ...['ann@exa mple.com', 'ann @example.com', 'ann@ example.com', 'Ann <ann@example.com>'],
  ...['ann@example.com\r\nBcc: eve@evil.com'],
];

export const REFUSED_PHONES: readonly string[] = [
  ...words(`
    + 0015555550100 +05555550100 +(1)5555550100 (555)5550100 +1-555-555-0100 1.5555550100
    \uff11\uff15\uff15\uff15\uff15\uff15\uff15\uff10\uff11\uff10\uff10 \uff0b15555550100
    \u0661\u0665\u0665\u0665\u0665\u0665\u0665 +1555555010a 123456 1234567890123456 ++15555550100
    1555555\t0100 1555\u00a05550100 1555\u200b5550100 15555550100;ext=1 tel:+15555550100 +1555555,15555550101
  `),
  ...['+ 1\n5555550100'],
];
