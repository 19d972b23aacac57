import { randomUUID } from 'node:crypto';
import { type AdminServer, openAdminServer } from '../support/admin.js';
import type { Answer } from '../support/server.js';
import { t } from '../support/tap.js';

/** Accounts u0…u(n−1), a minute apart, the last one the youngest; two with each timestamp. */
async function fill({ database }: AdminServer, count: number, audience = 'authenticated'): Promise<void> {
  await database.admin.query(
    `insert into users (id, aud, email, user_metadata, created_at)
     select gen_random_uuid(), $2, 'u' || n || '@' || $2 || '.test',
       jsonb_build_object('full_name', 'Person N' || n), timestamptz '2026-01-01' + (n / 2) * interval '1 minute'
     from generate_series(0, $1 - 1) n`,
    [count, audience],
  );
}

const emails = ({ body }: Answer): string[] => body.users.map(({ email }: { email: string }) => email.split('@')[0]);
const link = ({ headers }: Answer) => headers.get('link');
const total = ({ headers }: Answer) => headers.get('x-total-count');

t.test('GET /admin/users by page', async (t) => {
  const server = await openAdminServer(t);
  const list = (query: string, headers = {}) => server.admin('GET', `/admin/users${query}`, undefined, headers);

  await t.test('no users', async (t) => {
    const answer = await list('');
    t.equal(answer.status, 200);
    t.same(answer.body, { users: [], aud: 'authenticated' });
    t.equal(total(answer), '0');
    t.equal(link(answer), '</admin/users?page=0>; rel="last"');
  });

  await fill(server, 103);
  await fill(server, 2, 'other');

  await t.test('the defaults: fifty, newest first, of one audience', async (t) => {
    const answer = await list('');
    t.equal(answer.body.users.length, 50);
    t.equal(total(answer), '103');
    t.equal(link(answer), '</admin/users?page=2>; rel="next", </admin/users?page=3>; rel="last"');
    t.equal(emails(answer)[0], 'u102');
    const times = answer.body.users.map(({ created_at }: { created_at: string }) => created_at);
    t.same(times, [...times].sort().reverse());
    t.notOk(JSON.stringify(answer.body).includes('password_hash'));
    t.equal((await list('/')).status, 200);
  });

  await t.test('every account is on exactly one page', async (t) => {
    for (const sort of ['', '&sort=created_at%20asc']) {
      const seen: string[] = [];
      for (let page = 1; page <= 11; page++) {
        const answer = await list(`?page=${page}&per_page=10${sort}`);
        seen.push(...emails(answer));
        const next = page < 11 ? `</admin/users?page=${page + 1}&per_page=10` : '';
        t.equal(link(answer)?.startsWith(next), true, String(link(answer)));
        t.equal(link(answer)?.includes('rel="next"'), page < 11);
      }
      t.equal(seen.length, 103);
      t.equal(new Set(seen).size, 103);
    }
  });

  await t.test('Link: the same query with sorted keys and another page', async (t) => {
    const answer = await list('?sort=created_at+asc&per_page=50&page=2&filter=%40authenticated.test');
    t.equal(
      link(answer),
      '</admin/users?filter=%40authenticated.test&page=3&per_page=50&sort=created_at+asc>; rel="next", ' +
        '</admin/users?filter=%40authenticated.test&page=3&per_page=50&sort=created_at+asc>; rel="last"',
    );
    t.equal(
      link(await list('?per_page=&page=')),
      '</admin/users?page=2&per_page=>; rel="next", </admin/users?page=3&per_page=>; rel="last"',
    );
    t.equal(
      link(await list('?page=0&x=%0d%0aSet-Cookie:%20a')),
      '</admin/users?page=2&x=%0D%0ASet-Cookie%3A+a>; rel="next", </admin/users?page=3&x=%0D%0ASet-Cookie%3A+a>; rel="last"',
    );
  });

  await t.test('numbers', async (t) => {
    t.equal((await list('?page=0')).body.users.length, 50);
    const far = await list('?page=18446744073709551615&per_page=10000');
    t.same([far.status, far.body.users, total(far)], [200, [], '103']);
    t.equal((await list('?per_page=1000')).body.users.length, 103);
    for (const [query, reason] of [
      ['?page=x', 'strconv.ParseUint: parsing "x": invalid syntax'],
      ['?page=-1', 'strconv.ParseUint: parsing "-1": invalid syntax'],
      ['?per_page=1.5', 'strconv.ParseUint: parsing "1.5": invalid syntax'],
      ['?page=18446744073709551616', 'strconv.ParseUint: parsing "18446744073709551616": value out of range'],
      ['?per_page=0', 'per_page must be at least 1'],
      ['?per_page=10001&sort=x', 'per_page may be at most 10000'],
    ]) {
      const answer = await list(query!);
      t.match(answer, {
        status: 400,
        body: { error_code: 'validation_failed', msg: `Bad Pagination Parameters: ${reason}` },
      });
    }
  });

  await t.test('sort', async (t) => {
    t.equal(emails(await list('?sort=created_at%20ASC&per_page=200'))[0]?.length, 2);
    t.ok(['u0', 'u1'].includes(emails(await list('?sort=created_at%20asc'))[0]!));
    t.equal(emails(await list('?sort=created_at'))[0], 'u102');
    t.equal(emails(await list('?sort=created_at%20Desc'))[0], 'u102');
    t.match((await list('?sort=email')).body, { msg: "Bad Sort Parameters: bad field for sort 'email'" });
    const direction = await list('?sort=created_at%20up');
    t.match(direction.body.msg, /^Bad Sort Parameters: bad direction for sort '.*', only 'asc' and 'desc' allowed$/);
    t.equal((await list('?sort=created_at;drop%20table%20users')).status, 400);
  });

  await t.test('filter: a substring of the email, or of the full name in any case', async (t) => {
    t.equal(total(await list('?filter=u10%40')), '1');
    t.equal(total(await list('?filter=U10%40')), '0');
    t.equal(total(await list('?filter=pERSON%20n10')), '4');
    t.equal(total(await list('?filter=u1')), '14', 'u1, u10 to u19, u100 to u102');
    for (const text of ['%25', '_', "'", '\\', '%25u1']) t.equal(total(await list(`?filter=${text}`)), '0', text);
    const page = await list('?filter=u1&per_page=5&page=2&sort=created_at%20asc');
    t.equal(page.body.users.length, 5);
    t.equal(total(page), '14');
    const past = await list('?filter=u1&per_page=5&page=9');
    t.same([past.body.users, total(past)], [[], '14']);
    t.equal(total(await list('?filter=')), '103');
    t.equal((await list('?filter=%00')).status, 400);
  });

  await t.test('exact: id, email, phone', async (t) => {
    const made = await server.admin('POST', '/admin/users', { email: 'exact@x.test', phone: '15550001111' });
    const { id } = made.body;
    for (const query of [
      `id=${id}`,
      `id=${id.toUpperCase()}`,
      'email=Exact%40X.test',
      'phone=%2B15550001111',
      `id=${id}&email=exact%40x.test&phone=15550001111`,
      'email=exact%40x.test&filter=exact',
    ]) {
      const answer = await list(`?${query}`);
      t.same(
        answer.body.users.map((user: { id: string }) => user.id),
        [id],
        query,
      );
      t.equal(total(answer), '1');
    }
    t.same((await list(`?id=${id}`)).body.users[0], made.body, 'with its identities');
    for (const query of [
      `id=${randomUUID()}`,
      'email=exact%40x',
      'email=unknown%40x.test',
      `id=${id}&email=u1%40authenticated.test`,
      'phone=15550001112',
      'email=exact%40x.test&filter=nothing',
      'email=u1%40other.test',
    ]) {
      t.same((await list(`?${query}`)).body.users, [], query);
    }
    t.match(await list('?id=x'), { status: 400, body: { msg: 'Bad Filter Parameters: id must be an UUID' } });
    await server.admin('DELETE', `/admin/users/${id}`);
  });

  await t.test('the audience comes from X-JWT-AUD, and the soft-deleted are listed', async (t) => {
    const other = await list('', { 'x-jwt-aud': 'other' });
    t.same([other.body.aud, total(other)], ['other', '2']);
    await server.admin('DELETE', `/admin/users/${other.body.users[0].id}`, { should_soft_delete: true });
    const after = await list('', { 'x-jwt-aud': 'other' });
    t.equal(total(after), '2');
    t.ok(after.body.users[0].deleted_at);
  });
});

t.test('GET /admin/users by cursor', async (t) => {
  const server = await openAdminServer(t);
  const list = (query: string) => server.admin('GET', `/admin/users${query}`);
  await fill(server, 25);

  await t.test('all pages, forwards and backwards', async (t) => {
    for (const sort of ['', '&sort=created_at%20asc', '&filter=PERSON']) {
      const seen: string[] = [];
      let query = `?limit=10${sort}`;
      for (let pages = 1; ; pages++) {
        const answer = await list(query);
        t.equal(total(answer), null);
        seen.push(...emails(answer));
        const { next_cursor, has_more } = answer.body.pagination;
        t.equal(has_more, next_cursor !== undefined);
        if (next_cursor === undefined) {
          t.equal(pages, 3);
          t.equal(link(answer), null);
          break;
        }
        // An account created in the meantime moves no other.
        await fill(server, 1, 'elsewhere').catch(() => undefined);
        query = link(answer)!.match(/^<\/admin\/users(\?.*)>; rel="next"$/)![1]!;
        t.equal(new URLSearchParams(query).get('cursor'), next_cursor);
      }
      t.equal(new Set(seen).size, 25);
      t.equal(seen.length, 25);
    }
  });

  await t.test('a full last page has no next cursor', async (t) => {
    t.same((await list('?limit=25')).body.pagination, { has_more: false });
    t.equal((await list('?cursor=')).body.users.length, 25);
    t.same((await list('?limit=5&email=u1%40authenticated.test')).body.users.length, 1);
  });

  await t.test('page and per_page take precedence, and an invalid cursor is refused', async (t) => {
    t.equal(total(await list('?limit=5&page=1')), '25');
    t.equal(total(await list('?cursor=x&per_page=5')), '25');
    const { next_cursor: cursor } = (await list('?limit=5')).body.pagination;
    const read = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    const encode = (changes: object) => Buffer.from(JSON.stringify({ ...read, ...changes })).toString('base64url');
    for (const query of [
      'limit=0',
      'limit=-1',
      'limit=x',
      'cursor=x',
      'cursor=bnVsbA',
      `cursor=${encode({ created_at: '2026-02-30T00:00:00+00:00' })}`,
      `cursor=${encode({ created_at: 'infinity' })}`,
      `cursor=${encode({ created_at: '2026-02-01T24:00:00+00:00' })}`,
      `cursor=${encode({ created_at: 1 })}`,
      `cursor=${encode({ id: '1' })}`,
      `cursor=${encode({ list: '' })}`,
      `cursor=${cursor}&filter=PERSON`,
      `cursor=${cursor}&sort=created_at%20asc`,
    ]) {
      const msg = /^Bad Pagination Parameters: /;
      t.match(await list(`?${query}`), { status: 400, body: { error_code: 'validation_failed', msg } }, query);
    }
    t.equal((await list(`?cursor=${encode({})}&sort=created_at%20desc`)).status, 200, 'the same direction in words');
    t.equal((await list('?limit=1001')).body.users.length, 25, 'a higher limit is cut');
  });
});

t.test('GET /admin/users is by cursor where that is the setting', async (t) => {
  const server = await openAdminServer(t, { EXPERIMENTAL_CURSOR_PAGINATION_ENABLED: 'true' });
  await fill(server, 60);
  const list = (query: string) => server.admin('GET', `/admin/users${query}`);
  const first = await list('');
  t.equal(total(first), null);
  t.equal(first.body.users.length, 50);
  t.equal(first.body.pagination.has_more, true);
  const rest = await list(`?cursor=${first.body.pagination.next_cursor}`);
  t.same(rest.body.pagination, { has_more: false });
  t.equal(new Set([...emails(first), ...emails(rest)]).size, 60);
  t.equal(total(await list('?page=1')), '60');
  t.equal(total(await list('?per_page=5')), '60');
});
