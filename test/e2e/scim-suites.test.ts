/** Two suites of checks that we did not write. What they refuse, docs/scim.md names with the paragraph of the RFC. */
import { skipHere } from '../support/not-here.js';
import {
  findScimSuites,
  runScim2Tester,
  runScimSanity,
  type ScimSuites,
  type SuiteResult,
} from '../support/real-idps/scim-suites.js';
import { openScimServer } from '../support/scim.js';
import { onlyInFull, type Test, t } from '../support/tap.js';

onlyInFull('it installs scim2-tester and scim-sanity and runs them; test/scim tests what they know of us');

const found = await findScimSuites();
if (typeof found === 'string') skipHere(t, found);
else t.test('scim2-tester and scim-sanity', { timeout: 600_000 }, (t) => testSuites(t, found));

/** What they ask for and RFCs do not, or what the reference of identity providers asks otherwise. */
const deviations: readonly (readonly [title: string, reason: RegExp])[] = [
  // RFC 7643 4.1.1: what active means, the server says. Without a value a person is active.
  ['check_remove_attribute', /did not remove attribute 'active'$/],
  // RFC 7644 3.5.2: 204 is as good, and Entra ID wants it.
  ['PATCH /Groups/{id}', /got 204/],
  ['PATCH /Groups/{id} remove members', /got 204/],
  // RFC 7643 4.2: members are resources; there is no fake-member-id.
  ['PATCH /Groups/{id} add member', /got 400/],
];

async function testSuites(t: Test, suites: ScimSuites): Promise<void> {
  const server = await openScimServer(t);
  const url = `${server.url}/scim/v2`;
  const owner = await server.join();
  const { token } = await server.addScimProvider();
  const company = await server.addScimOrganization(owner, 'suites.example');
  const check = (t: Test, results: readonly SuiteResult[]) => {
    t.ok(results.length > 10);
    t.same(
      results
        .filter(({ status }) => /fail|error|critical/.test(status))
        .filter(({ title, reason }) => !deviations.some(([name, why]) => name === title && why.test(reason.trim()))),
      [],
    );
  };
  for (const [way, given] of [
    ['of a provider', token],
    ['of an organization', company.token],
  ] as const) {
    await t.test(`scim2-tester, with the token ${way}`, async (t) =>
      check(t, await runScim2Tester(suites, url, given)),
    );
    for (const profile of [null, 'entra']) {
      await t.test(`scim-sanity ${profile ?? 'strict'}, with the token ${way}`, async (t) =>
        check(t, await runScimSanity(suites, url, given, profile)),
      );
    }
  }
}
