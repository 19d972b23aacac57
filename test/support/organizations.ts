import { type Answer, freshEmail, openTestServer, password, type TestServer } from './server.js';
import type { Test } from './tap.js';

/** Somebody who has signed in. */
export interface Person {
  readonly id: string;
  readonly email: string;
  access: string;
  refresh: string;
}

export interface OrganizationServer extends TestServer {
  /** A new account with a session. Its address is confirmed, not proven. */
  join(): Promise<Person>;
  /** The same, with an address that is proven, as by a link. */
  joinProven(): Promise<Person>;
  /** Calls as a person. */
  as(person: Pick<Person, 'access'>, method: string, path: string, body?: unknown): Promise<Answer>;
  /** An organization of the person. @returns its id */
  found(owner: Person, name?: string): Promise<string>;
  /** Refreshes, and keeps the tokens. @returns the claims of the new access token */
  refresh(person: Person, organizationId?: string): Promise<Record<string, unknown>>;
  /** Makes an organization the active one, and keeps the tokens. @returns the claims of the new access token */
  activate(person: Person, organizationId: string): Promise<Record<string, unknown>>;
  /** Adds a member behind the back of the server, with what a test needs no endpoint for. */
  addMember(organizationId: string, person: Pick<Person, 'id'>, ...roles: string[]): Promise<void>;
}

export function readPayload(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
}

/** Opens a server with organizations switched on. */
export async function openOrganizationServer(
  t: Test,
  settings: Record<string, string> = {},
): Promise<OrganizationServer> {
  // Tests invite an address as often as they like; organizations-invitations.test.ts has the interval.
  const given = { ORGANIZATIONS_ENABLED: 'true', SMTP_MAX_FREQUENCY: '0', ...settings };
  const server = await openTestServer(t, given);
  return actWith(server);
}

/** The same on a server that is open. */
export function actWith(server: TestServer): OrganizationServer {
  const keep = (person: Person, { status, body }: Answer): Record<string, unknown> => {
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
    person.access = body.access_token;
    person.refresh = body.refresh_token;
    return readPayload(body.access_token);
  };
  const as: OrganizationServer['as'] = (person, method, path, body) =>
    server.call(method, path, { bearer: person.access, ...(body !== undefined && { body }) });
  const join = async (): Promise<Person> => {
    const email = freshEmail();
    const { body } = await server.post('/signup', { email, password });
    return { id: body.user.id, email, access: body.access_token, refresh: body.refresh_token };
  };
  return {
    ...server,
    as,
    join,
    async joinProven() {
      const person = await join();
      await server.database.admin.query('update users set proven_email = email where id = $1', [person.id]);
      return person;
    },
    async found(owner, name = 'Acme') {
      const { status, body } = await as(owner, 'POST', '/organizations', { name });
      if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
      return body.id;
    },
    async refresh(person, organizationId) {
      const named = organizationId === undefined ? {} : { organization_id: organizationId };
      const body = { refresh_token: person.refresh, ...named };
      return keep(person, await server.post('/token?grant_type=refresh_token', body));
    },
    async activate(person, organizationId) {
      return keep(person, await as(person, 'POST', `/organizations/${organizationId}/activate`));
    },
    async addMember(organizationId, { id }, ...roles) {
      await server.database.admin.query(
        `insert into organization_members (organization_id, user_id, roles, via) values ($1, $2, $3, 'admin')`,
        [organizationId, id, roles.length === 0 ? ['member'] : roles.toSorted()],
      );
    },
  };
}
