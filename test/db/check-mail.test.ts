/** `latchkey check mail` reads the records of the sender. */
import { readSenderRecords } from '../../src/server/mail/sender-records.js';
import { openDns, SERVFAIL, type Zone } from '../support/dns-server.js';
import { runCommand } from '../support/run-command.js';
import { testEnvironment } from '../support/server.js';
import { t } from '../support/tap.js';

const SPF = 'v=spf1 include:spf.example.net ~all';
const DKIM = `v=DKIM1; k=rsa; p=${'A'.repeat(390)}`;
const DMARC = 'v=DMARC1; p=reject; rua=mailto:dmarc@example.com';

t.test('the command, with resolvers of its own', async (t) => {
  const zone: Zone = {
    'auth.example.com': { txt: ['unrelated', SPF] },
    's1._domainkey.auth.example.com': { txt: [DKIM] },
    '_dmarc.example.com': { txt: [DMARC] },
  };
  const settings = { DNS_SERVERS: await openDns(t, zone), SMTP_ADMIN_EMAIL: 'no-reply@Auth.example.com' };
  const check = (args: string[], more = {}) =>
    runCommand(
      ['check', 'mail', ...args],
      testEnvironment('postgres://u@127.0.0.1:1/x', { ...settings, ...more }),
      '/dev/null',
    );
  const good = await check(['--selector', 's1', '--json']);
  t.equal(good.code, 0, good.out);
  t.match(JSON.parse(good.out), {
    ok: true,
    domain: 'auth.example.com',
    findings: [
      { kind: 'fine', text: `SPF: ${SPF}` },
      { kind: 'fine', text: /^DKIM: s1\._domainkey\.auth\.example\.com has a key/ },
      { kind: 'fine', text: `DMARC: ${DMARC}` },
    ],
  });
  zone['_dmarc.example.com'] = { txt: [] };
  t.match(await check([]), { code: 1, out: /^hint {3}DKIM: give the selector[\s\S]*^wrong {2}DMARC: [\s\S]*spam/m });
  zone['auth.example.com'] = { code: SERVFAIL };
  t.match(await check([]), { code: 1, out: /^wrong {2}SPF: auth\.example\.com could not be looked up/m });
  t.match(await check([], { SMTP_ADMIN_EMAIL: '' }), { code: 2, err: /AUTH_SMTP_ADMIN_EMAIL is unset/ });
});

t.test('what is wrong with a record is said with its cure', async (t) => {
  const judge = async (zone: Record<string, string[]>) => {
    const all = { 'a.example': [SPF], 's._domainkey.a.example': [DKIM], '_dmarc.a.example': [DMARC], ...zone };
    const texts: Record<string, string[]> = all;
    const findings = await readSenderRecords('a.example', 's', async (name) => ({ texts: texts[name] ?? [] }));
    return findings.filter(({ kind }) => kind !== 'fine').map(({ kind, text }) => `${kind} ${text}`);
  };
  t.same(await judge({}), []);
  const cases: [Record<string, string[]>, RegExp][] = [
    [{ 'a.example': [] }, /^wrong SPF: a\.example has no record/],
    [{ 'a.example': [SPF, 'v=spf1 -all'] }, /^wrong SPF: .* 2 records/],
    [{ 'a.example': ['v=spf1 include:x +all'] }, /^wrong SPF: .*everyone/],
    [{ 'a.example': ['v=spf1 all'] }, /^wrong SPF: .*everyone/],
    [{ 'a.example': ['v=spf1 include:x'] }, /^hint SPF: .*~all/],
    [{ 's._domainkey.a.example': [] }, /^wrong DKIM: .*no key/],
    [{ 's._domainkey.a.example': ['v=DKIM1; p='] }, /^wrong DKIM: .*withdrawn/],
    [{ 's._domainkey.a.example': ['v=DKIM1; t=y; p=A'] }, /^hint DKIM: .*test/],
    [{ '_dmarc.a.example': [] }, /^wrong DMARC: .*_dmarc\.a\.example/],
    [{ '_dmarc.a.example': ['v=DMARC1; p=none; rua=mailto:x'] }, /^hint DMARC: .*only reports/],
    [{ '_dmarc.a.example': ['v=DMARC1; p=reject'] }, /^hint DMARC: .*rua=/],
    [{ '_dmarc.a.example': ['v=DMARC1; rua=mailto:x'] }, /^wrong DMARC: .*p=none/],
  ];
  for (const [zone, text] of cases) {
    const found = await judge(zone);
    t.equal(found.length, 1, JSON.stringify(zone));
    t.match(found[0], text);
  }
  t.same(await judge({ 'a.example': ['v=spf1 redirect=_spf.example.net'] }), []);
});
