/** A stand-in for PostgREST behind a gateway, as self-hosted stacks have it: `/auth/v1` is Latchkey, `/rest/v1` the tables. */
import type { IncomingMessage } from 'node:http';
import { jwtVerify } from 'jose';
import pg from 'pg';
import { serveOnLoopback } from './loopback-server.js';
import { JWT_SECRET } from './server.js';
import type { Test } from './tap.js';

type Claims = Readonly<Record<string, unknown>>;

/** @returns the URL of the gateway */
export async function openRestLayer(t: Test, authUrl: string, databaseUrl: string): Promise<string> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 3 });
  pool.on('error', () => undefined);
  const answer = async (request: IncomingMessage) => {
    const url = new URL(request.url ?? '/', 'http://gateway');
    const body = await readBody(request);
    const [, service, rest = '/'] = /^\/(auth|rest)\/v1(\/.*)$/.exec(url.pathname) ?? [];
    return service === 'auth'
      ? forward(request, `${authUrl}${rest}${url.search}`, body)
      : answerRows(pool, request, rest.slice(1), url.searchParams, body);
  };
  t.teardown(() => pool.end());
  return serveOnLoopback(t, (request, response) => {
    void answer(request).then(({ status, text }) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(text),
    );
  });
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of request.setEncoding('utf8')) text += part;
  return text;
}

async function forward(request: IncomingMessage, url: string, body: string): Promise<{ status: number; text: string }> {
  const names = ['authorization', 'content-type', 'x-supabase-api-version'];
  const headers = names.flatMap((name) => {
    const value = request.headers[name];
    return typeof value === 'string' ? [[name, value]] : [];
  });
  const answer = await fetch(url, {
    method: request.method!,
    headers: Object.fromEntries(headers),
    ...(body === '' ? {} : { body }),
  });
  return { status: answer.status, text: await answer.text() };
}

/** With the role and claims of the token, for one transaction. */
async function answerRows(
  pool: pg.Pool,
  request: IncomingMessage,
  table: string,
  query: URLSearchParams,
  body: string,
): Promise<{ status: number; text: string }> {
  const claims = await readClaims(request.headers.authorization);
  if (claims === null) return { status: 401, text: '{"code":"PGRST301","message":"JWT invalid"}' };
  const client = await pool.connect();
  const name = `public.${client.escapeIdentifier(table)}`;
  try {
    await client.query('begin');
    await client.query(`set local role ${client.escapeIdentifier(String(claims['role'] ?? 'anon'))}`);
    await client.query(`select set_config('request.jwt.claims', $1, true)`, [JSON.stringify(claims)]);
    const filters = [...query].filter(([, value]) => value.startsWith('eq.'));
    const where = filters.map(([column], index) => `and r.${client.escapeIdentifier(column)}::text = $${index + 1}`);
    const columns =
      body === '' ? [] : Object.keys([JSON.parse(body)].flat()[0]).map((key) => client.escapeIdentifier(key));
    const { rows } =
      request.method === 'POST'
        ? await client.query(
            `insert into ${name} as r (${columns}) select ${columns}
             from jsonb_populate_recordset(null::${name}, $1::jsonb) returning to_jsonb(r) as row`,
            [JSON.stringify([JSON.parse(body)].flat())],
          )
        : await client.query(
            `select to_jsonb(r) as row from ${name} r where true ${where.join(' ')}`,
            filters.map(([, value]) => value.slice(3)),
          );
    await client.query('commit');
    return { status: request.method === 'POST' ? 201 : 200, text: JSON.stringify(rows.map(({ row }) => row)) };
  } catch (error) {
    await client.query('rollback');
    const { code, message } = error as pg.DatabaseError;
    return { status: code === '42501' ? 403 : 400, text: JSON.stringify({ code, message }) };
  } finally {
    client.release();
  }
}

/** @returns null for a token that does not verify; those of nobody without one */
async function readClaims(authorization: string | undefined): Promise<Claims | null> {
  if (authorization === undefined) return { role: 'anon' };
  const verified = await jwtVerify(authorization.replace(/^Bearer /, ''), Buffer.from(JWT_SECRET)).catch(() => null);
  return verified?.payload ?? null;
}
