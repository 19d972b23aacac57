import { provider } from '../../src/server/providers/workos.js';
import { readRecorded, refusesSubjects } from '../support/recorded-profile.js';
import { t } from '../support/tap.js';

const user = {
  id: 'prof_1',
  object: 'profile',
  first_name: 'Wo',
  last_name: 'S',
  email: 'w@example.com',
  connection_id: 'conn_1',
  organization_id: 'org_1',
  connection_type: 'OktaSAML',
  idp_id: 'x',
  raw_attributes: {},
};

t.test('workos: the profile of the token response', async (t) => {
  const { profile, calls } = await readRecorded(provider, { answers: {}, token: { profile: user } });
  t.strictSame(calls, [], 'no further call');
  t.strictSame(profile, {
    subject: 'prof_1',
    claims: {
      iss: 'https://api.workos.com',
      sub: 'prof_1',
      name: 'Wo S',
      full_name: 'Wo S',
      provider_id: 'prof_1',
      custom_claims: { connection_id: 'conn_1', organization_id: 'org_1' },
    },
    addresses: [{ email: 'w@example.com', isVerified: true, isPrimary: true }],
  });
});

t.test('workos: names and organizations may be missing', async (t) => {
  const sparse = { id: 'prof_2', first_name: null, last_name: 'S', connection_id: 'conn_2', email: '' };
  const { profile } = await readRecorded(provider, { answers: {}, token: { profile: sparse } });
  t.strictSame(profile, {
    subject: 'prof_2',
    claims: {
      iss: 'https://api.workos.com',
      sub: 'prof_2',
      name: 'S',
      full_name: 'S',
      provider_id: 'prof_2',
      custom_claims: { connection_id: 'conn_2', organization_id: '' },
    },
    addresses: [],
  });
});

t.test('workos: a profile without an id is refused', async (t) => {
  await refusesSubjects(t, provider, (id) => ({ answers: {}, token: { profile: { ...user, id } } }));
  await refusesSubjects(t, provider, (profile) => ({ answers: {}, token: { profile } }));
});
