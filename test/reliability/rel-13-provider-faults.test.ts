import { type ExternalFlow, openExternalFlow } from '../support/external-flow.js';
import type { Misbehaviour } from '../support/fake-providers/index.js';
import { findQuickest } from '../support/quickest.js';
import { freshEmail } from '../support/server.js';
import { type Test, t } from '../support/tap.js';

const EXCHANGE = /^Unable to exchange external code: .{4}$/;
// The second: the response is valid but contains no user id.
const PROFILE = /^(Error getting user profile from external provider|error missing provider id)$/;

const shared = await openExternalFlow(t, ['github']);
let subject = 900;

const counts = async (flow: ExternalFlow) =>
  (
    await flow.database.admin.query(
      'select (select count(*)::int from users) as users, (select count(*)::int from sessions) as sessions',
    )
  ).rows[0];

async function failsAt(t: Test, part: 'token' | 'profile' | 'emails', how: Misbehaviour, flow = shared) {
  const before = await counts(flow);
  flow.providers.misbehave('github', part, how);
  const { ms, result: landing } = await findQuickest(10_500, () =>
    flow.signIn('github', { as: flow.providers.person('github', { email: freshEmail(), subject: subject++ }) }),
  );
  flow.providers.misbehave('github', part, null);
  t.equal(landing.status, 302);
  t.equal(landing.query.get('error'), 'server_error');
  t.match(landing.query.get('error_description'), part === 'token' ? EXCHANGE : PROFILE);
  t.same(await counts(flow), before, 'no session, no half-made user');
  t.ok(ms < 10_500, `answered after ${Math.round(ms)} ms`);
}

const answers: readonly Misbehaviour[] = [
  'huge',
  'html',
  'empty object',
  'null',
  'array',
  'number',
  'error with 200',
  'server error',
  'cut',
  'cut body',
  'redirect',
  'not utf-8',
];

for (const part of ['token', 'profile', 'emails'] as const) {
  t.test(`REL-13: a bad response of the ${part} endpoint ends in the documented redirect`, async (t) => {
    for (const how of answers) {
      // An empty list of addresses, or one of another shape, is no address.
      if (part === 'emails' && how === 'array') continue;
      await t.test(String(how), (t) => failsAt(t, part, how));
    }
  });
}

t.test('REL-13: a provider that answers late, or never stops, takes ten seconds at most', async (t) => {
  // The fakes of a server can misbehave in one way at a time, so each has a server of its own.
  const faults = [
    ['token', 'slow'],
    ['profile', 'slow'],
    ['emails', 'drip'],
  ] as const;
  await Promise.all(faults.map(async ([part, how]) => failsAt(t, part, how, await openExternalFlow(t, ['github']))));
});

t.test('REL-13: the ten seconds are for all of its calls together', async (t) => {
  const flow = await openExternalFlow(t, ['gitlab'], { INTERNAL_HTTP_TIMEOUT: '2s' });
  flow.providers.misbehave('gitlab', 'emails', 'slow');
  const { ms, result: landing } = await findQuickest(4000, () =>
    flow.signIn('gitlab', { as: flow.providers.person('gitlab', { email: freshEmail(), subject: 3 }) }),
  );
  t.equal(landing.query.get('error_description'), 'Error getting user profile from external provider');
  t.ok(ms < 4000, `${Math.round(ms)} ms`);
});

t.test('REL-13: a provider without addresses gets its own error', async (t) => {
  const as = shared.providers.person('github', { subject: subject++, answers: { emails: [] } });
  const landing = await shared.signIn('github', { as });
  t.equal(landing.query.get('error_description'), 'Error getting user email from external provider');
});
