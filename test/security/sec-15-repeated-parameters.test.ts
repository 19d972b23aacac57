import { exchangeRaw, requestText } from '../support/raw-socket.js';
import { t } from '../support/tap.js';
import { openTestEdge } from '../support/test-edge.js';

t.test('SEC-15 parameters that decide something may occur once only', async (t) => {
  const server = await openTestEdge();
  t.teardown(() => server.close());
  const get = (target: string) => exchangeRaw(server.port, requestText('GET', target));
  for (const name of ['provider', 'redirect_to', 'token', 'token_hash', 'type', 'code', 'state']) {
    const hex = `%${name.charCodeAt(0).toString(16)}${name.slice(1)}`;
    for (const query of [`${name}=a&${name}=b`, `${name}=a&${name}=a`, `${name}=a&x=1&${hex}=b`, `${name}&${name}=b`]) {
      const answer = await get(`/show?${query}`);
      t.equal(answer.status, 400, query);
      t.match(JSON.parse(answer.body), { msg: `Query parameter ${name} may be given only once` });
    }
    t.equal((await get(`/show?${name}=%zz`)).status, 400, `a broken ${name} is not the same as none`);
    t.equal((await get(`/show?${name}=a`)).status, 200);
  }
  t.equal(JSON.parse((await get('/show?page=1&page=2')).body).query.page, '1', 'of others the first counts');
});
