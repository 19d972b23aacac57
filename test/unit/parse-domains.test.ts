import { parseDomains } from '../../src/server/config/parse-domains.js';
import { t } from '../support/tap.js';

t.test('pairs provider=domain', async (t) => {
  t.same(parseDomains(''), { value: {} });
  t.same(parseDomains(' github=social , custom:acme = social,GitLab=staff,'), {
    value: { github: 'social', 'custom:acme': 'social', gitlab: 'staff' },
  });
  t.same(parseDomains('https://a.example/?b=c=social'), { value: { 'https://a.example/?b=c': 'social' } });
});

t.test('faults name the pair and the rule', async (t) => {
  const faults: Readonly<Record<string, RegExp>> = {
    github: /pairs provider=domain/,
    '=social': /pairs/,
    'github=': /pairs/,
    'github=a,github=b': /names the provider of pair 2 twice/,
    'git hub=a': /blanks/,
    'email=social': /always in default/,
    'sso:1=a': /single sign-on/,
    'github=sso:1': /single sign-on/,
  };
  for (const [text, expected] of Object.entries(faults)) t.match(parseDomains(text), { fault: expected }, text);
});
