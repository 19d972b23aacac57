/** The origin of changes is kept per request only while events are recorded. */

import { currentOrigin, withMoreOrigin, withOrigin } from '../../src/db/origin.js';
import { t } from '../support/tap.js';

t.test('an origin is extended, and none is made where there is none', async (t) => {
  t.equal(await withMoreOrigin({ created_by: 'admin' }, async () => currentOrigin()), null);
  const extended = await withOrigin({ request_id: 'r' }, () =>
    withMoreOrigin({ created_by: 'admin' }, async () => currentOrigin()),
  );
  t.same(JSON.parse(extended!), { request_id: 'r', created_by: 'admin' });
  t.equal(currentOrigin(), null);
});
