/** What Entra ID and Okta send, step by step, through the token of a provider and of an organization. */
import { randomUUID } from 'node:crypto';
import { openScimServer, type ScimCall } from '../support/scim.js';
import { readScimFixture } from '../support/scim-fixtures.js';
import { t } from '../support/tap.js';

const server = await openScimServer(t);
let companies = 0;
const ways: readonly (readonly [name: string, open: () => Promise<ScimCall>])[] = [
  ['a provider', async () => (await server.addScimProvider()).scim],
  [
    'an organization',
    async () => (await server.addScimOrganization(await server.join(), `contoso${companies++}.example`)).scim,
  ],
];

for (const [way, open] of ways) {
  for (const provider of ['entra', 'okta'] as const) {
    t.test(`${provider}, through the token of ${way}`, async (t) => {
      const scim = await open();
      // Names are unique in a test, and what one answer says is part of later requests.
      const known = new Map<string, string>([['unique', randomUUID()]]);
      for (const { does, method, path, body, status, expect, keep } of readScimFixture(provider)) {
        const fill = (text: string) => text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => known.get(name) ?? '?');
        const sent = body === undefined ? undefined : JSON.parse(fill(JSON.stringify(body)));
        const answer = await scim(method, encodeURI(fill(path)), sent);
        t.equal(answer.status, status, `${does}: ${JSON.stringify(answer.body)}`);
        if (expect !== undefined) t.match(answer.body, JSON.parse(fill(JSON.stringify(expect))), does);
        for (const [name, at] of Object.entries(keep ?? {})) {
          known.set(
            name,
            at.split('.').reduce((value, key) => value?.[key], answer.body),
          );
        }
      }
    });
  }
}
