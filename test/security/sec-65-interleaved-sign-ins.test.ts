import { claimsOf, openExternalFlow } from '../support/external-flow.js';
import { freshEmail } from '../support/server.js';
import { t } from '../support/tap.js';

/** Forty at a time: a busy machine would answer some of two hundred with 503. */
async function inGroups<Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>) {
  const results: Result[] = [];
  for (let at = 0; at < items.length; at += 40) {
    results.push(...(await Promise.all(items.slice(at, at + 40).map(work))));
  }
  return results;
}

t.test('SEC-65: two hundred interleaved sign-ins of two providers do not mix', async (t) => {
  const flow = await openExternalFlow(t, ['github', 'gitlab'], { DB_MAX_POOL_SIZE: '10' });
  const people = Array.from({ length: 200 }, (_, index) => {
    const name = index % 2 === 0 ? ('github' as const) : ('gitlab' as const);
    const email = freshEmail();
    return { name, email, subject: String(index + 1), as: flow.providers.person(name, { email, subject: index + 1 }) };
  });
  // All browsers are at their providers before the first returns.
  const halfway = await inGroups(people, async ({ name, as }) => {
    const browser = flow.openBrowser();
    const { location } = await browser.leave(name);
    return { browser, answer: await flow.providers.signIn(location, { as }) };
  });
  const landings = await inGroups(halfway.reverse(), ({ browser, answer }) => browser.comeBack(answer));
  for (const [index, { name, email, subject }] of people.reverse().entries()) {
    const claims = claimsOf(landings[index]!.fragment.get('access_token'));
    t.match(claims, { email, app_metadata: { provider: name }, user_metadata: { sub: subject, email } });
    t.equal(landings[index]!.fragment.get('provider'), name);
  }
  t.equal(new Set(landings.map(({ fragment }) => fragment.get('provider_token'))).size, people.length);
  const { rows } = await flow.database.admin.query('select from users');
  t.equal(rows.length, people.length);
});
