/** Documents of organizations, which policies of Postgres keep apart. README.md says how to start it. */
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import pg from 'pg';

const { ISSUER = 'http://localhost:8081', PORT = '4200', DATABASE_URL } = process.env;
const keys = createRemoteJWKSet(new URL(`${ISSUER}/.well-known/jwks.json`));
const pool = new pg.Pool({ connectionString: DATABASE_URL });
pool.on('error', (error) => console.error(error.message));

/** Nothing here says whose rows they are: the policies in schema.sql do. */
const routes = {
  'GET /documents': async (client) => {
    const { rows } = await client.query('select id, org_id, author, title from public.documents order by id');
    return { status: 200, body: rows };
  },
  'POST /documents': async (client, { org_id, title }) => {
    const { rows } = await client.query(
      `insert into public.documents (org_id, title) values (coalesce($1, (auth.jwt() ->> 'org_id')::uuid), $2)
       returning id, org_id, author, title`,
      [org_id, title],
    );
    return { status: 201, body: rows[0] };
  },
};

/** Runs work as PostgREST does: with the role and the claims of the token, for one transaction. */
async function withClaims(claims, work) {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const settings = [claims.role, JSON.stringify(claims)];
    await client.query(`select set_config('role', $1, true), set_config('request.jwt.claims', $2, true)`, settings);
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}

/** 42501: a policy or a grant refuses. Classes 22 and 23: the value fits no column, or the role is none of the database. */
const statusOf = ({ code = '' }) => (code === '42501' ? 403 : /^2[23]/.test(code) ? 400 : 500);

async function answer(request) {
  const route = routes[`${request.method} ${request.url}`];
  if (!route) return { status: 404 };
  const token = (request.headers.authorization ?? '').replace(/^Bearer /i, '');
  const verified = await jwtVerify(token, keys, { audience: 'authenticated' }).catch(() => null);
  if (verified === null) return { status: 401 };
  const body = request.method === 'POST' ? await json(request).catch(() => ({})) : {};
  return withClaims(verified.payload, (client) => route(client, body ?? {})).catch((error) => ({
    status: statusOf(error),
    body: { code: error.code, message: error.message },
  }));
}

const server = createServer((request, response) => {
  void answer(request).then(({ status, body = {} }) => {
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  });
});
server.listen(Number(PORT), 'localhost', () => console.log(`Documents at http://localhost:${PORT}/documents`));
