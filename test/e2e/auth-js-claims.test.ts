import { AuthClient } from '@supabase/auth-js';
import { freshEmail, openTestServer, password } from '../support/server.js';
import { keySetting, makeTestJwk } from '../support/signing-keys.js';
import { t } from '../support/tap.js';

for (const alg of ['ES256', 'RS256'] as const) {
  t.test(`@supabase/auth-js, unchanged: getClaims verifies ${alg} with our key set alone`, async (t) => {
    const { url } = await openTestServer(t, keySetting(makeTestJwk(alg, `${alg}-key`)));
    const asked: string[] = [];
    const client = new AuthClient({
      ...{
        url,
        autoRefreshToken: false,
        persistSession: false,
        detectSessionInUrl: false,
        storageKey: `claims-${alg}`,
      },
      fetch: (input, init) => {
        asked.push(new URL(String(input)).pathname);
        return fetch(input, init);
      },
    });
    const { data } = await client.signUp({ email: freshEmail(), password });
    asked.length = 0;
    for (const _ of [1, 2]) {
      const claims = await client.getClaims();
      t.equal(claims.error, null);
      t.match(claims.data, {
        header: { alg, kid: `${alg}-key` },
        claims: { sub: data.user!.id, role: 'authenticated' },
      });
    }
    t.same(asked, ['/.well-known/jwks.json'], 'fetched once; GET /user was not asked');

    const { access_token: token } = data.session!;
    const [head, payload, signature] = token.split('.') as [string, string, string];
    const forged = `${head}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
    t.match((await client.getClaims(forged)).error, { name: 'AuthInvalidJwtError' });
  });
}
