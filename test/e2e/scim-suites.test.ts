/** Two suites of checks and a client that we did not write. What the suites refuse, docs/scim.md names with the paragraph of the RFC. */
import { pickForm } from '../support/long-form.js';
import { skipHere } from '../support/not-here.js';
import {
  findScimSuites,
  runScim2Client,
  runScim2Tester,
  runScimSanity,
  type ScimSuites,
  type SuiteResult,
} from '../support/real-idps/scim-suites.js';
import { openScimServer } from '../support/scim.js';
import { onlyInFull, type Test, t, takesMinutesInFull } from '../support/tap.js';

onlyInFull('it installs scim2-tester and scim-sanity and runs them; test/scim tests what they know of us');
takesMinutesInFull('two suites of others');

/** The client takes ten milliseconds of processor time for each. */
const PEOPLE = pickForm({ short: 200, long: 5000 });

const found = await findScimSuites();
if (typeof found === 'string') skipHere(t, found);
else {
  t.test('scim2-tester and scim-sanity', { timeout: 600_000 }, (t) => testSuites(t, found));
  t.test(`scim2-client provisions ${PEOPLE} people`, { timeout: 600_000 }, (t) => provisionMany(t, found));
}

/** The client itself takes most of the time. */
const MOST_SECONDS = 300;

async function provisionMany(t: Test, suites: ScimSuites): Promise<void> {
  const server = await openScimServer(t);
  const { token, scim } = await server.addScimProvider();
  const { people, seconds } = await runScim2Client(suites, `${server.url}/scim/v2`, token, PEOPLE);
  t.comment(`${seconds.toFixed(1)} s, ${(people / seconds).toFixed(0)} people a second`);
  t.equal(people, PEOPLE);
  t.ok(seconds < MOST_SECONDS);
  const { body } = await scim('GET', '/Users?count=0');
  t.equal(body.totalResults, PEOPLE);
  const filter = encodeURIComponent(`emails[type eq "work"].value eq "person-${PEOPLE - 1}@client.example"`);
  t.match((await scim('GET', `/Users?filter=${filter}`)).body, {
    totalResults: 1,
    Resources: [{ externalId: `client-${PEOPLE - 1}` }],
  });
}

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
