/** An identity provider that provisions: each of its connections waits for an answer before it sends the next request. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { HttpConnection } from './http-connection.js';

const [USER, ENTERPRISE] = ['core:2.0:User', 'extension:enterprise:2.0:User'].map(
  (name) => `urn:ietf:params:scim:schemas:${name}`,
) as [string, string];
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const END_OF_HEAD = '\r\n\r\n';

export interface ScimAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** One connection with one request at a time. */
export class ScimConnection {
  readonly #connection: HttpConnection;
  readonly #host: string;
  readonly #token: string | null;
  #waiting: { readonly resolve: (answer: ScimAnswer) => void; readonly reject: (error: Error) => void } | undefined;

  /** @param token null: requests of no identity provider */
  constructor(url: string, token: string | null) {
    this.#host = new URL(url).host;
    this.#token = token;
    this.#connection = new HttpConnection(url, {
      onAnswer: (status, answer) => {
        const text = answer.toString();
        const end = text.indexOf(END_OF_HEAD);
        this.#waiting?.resolve({ status, head: text.slice(0, end), body: text.slice(end + END_OF_HEAD.length) });
      },
      onClose: () => this.#waiting?.reject(new Error(`${url} has closed the connection`)),
    });
  }

  call(method: string, path: string, body = '', type = 'application/scim+json'): Promise<ScimAnswer> {
    const token = this.#token === null ? '' : `Authorization: Bearer ${this.#token}\r\n`;
    const content = body === '' ? '' : `Content-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#connection.send(
        Buffer.from(`${method} ${path} HTTP/1.1\r\nHost: ${this.#host}\r\n${token}${content}\r\n${body}`),
      );
    });
  }

  /** @throws on another status */
  async want(wanted: number, ...[method, path, body]: Parameters<ScimConnection['call']>): Promise<ScimAnswer> {
    const answer = await this.call(method, path, body);
    if (answer.status !== wanted) throw new Error(`${method} ${path}: ${answer.status} ${answer.body.slice(0, 300)}`);
    return answer;
  }

  close(): void {
    this.#connection.destroy();
  }
}

export const patchBody = (...operations: readonly object[]): string =>
  JSON.stringify({ schemas: [PATCH], Operations: operations });

const personBody = (userName: string): string =>
  JSON.stringify({
    schemas: [USER, ENTERPRISE],
    externalId: randomUUID(),
    userName,
    active: true,
    displayName: 'Ann Example',
    emails: [{ primary: true, type: 'work', value: userName }],
    name: { formatted: 'Ann Example', familyName: 'Example', givenName: 'Ann' },
    preferredLanguage: 'en-US',
    title: 'Engineer',
    [ENTERPRISE]: { department: 'Research', employeeNumber: '1000' },
  });

/** Looks a person up, who is not there, and makes one, as Entra ID does. @returns the id */
export async function provision(connection: ScimConnection, userName: string): Promise<string> {
  const filter = encodeURIComponent(`userName eq "${userName}"`);
  const { body: found } = await connection.want(200, 'GET', `/scim/v2/Users?filter=${filter}`);
  if (!found.includes('"totalResults":0')) throw new Error(`${userName} is there already`);
  const { body } = await connection.want(201, 'POST', '/scim/v2/Users', personBody(userName));
  return (JSON.parse(body) as { id: string }).id;
}

/** What is provisioned until it is stopped. */
export interface Provisioning {
  /** @returns how many people. @throws when an answer was not as expected */
  stop(): Promise<number>;
}

/** @param perSecond people, evenly spread; null: as fast as they are answered */
export function startProvisioning(
  url: string,
  token: string,
  connections: number,
  perSecond: number | null,
): Provisioning {
  const batch = randomUUID();
  const startMs = performance.now();
  let [isOver, started] = [false, 0];
  const work = async (): Promise<void> => {
    const connection = new ScimConnection(url, token);
    try {
      while (!isOver) {
        const n = started++;
        const dueMs = perSecond === null ? 0 : startMs + (n * 1000) / perSecond - performance.now();
        if (dueMs > 0) await pause(dueMs);
        await provision(connection, `${batch}-${n}@bench.example`);
      }
    } finally {
      connection.close();
    }
  };
  const done = Promise.all(Array.from({ length: connections }, work));
  done.catch(() => undefined);
  return {
    async stop() {
      isOver = true;
      await done;
      return started;
    },
  };
}

/** @returns seconds that so many people take. @throws when an answer was not as expected */
export async function provisionAll(url: string, token: string, count: number, connections: number): Promise<number> {
  const batch = randomUUID();
  const queue = Array(count).keys();
  const startMs = performance.now();
  const work = async (): Promise<void> => {
    const connection = new ScimConnection(url, token);
    for (const n of queue) await provision(connection, `${batch}-${n}@bench.example`);
    connection.close();
  };
  await Promise.all(Array.from({ length: connections }, work));
  return (performance.now() - startMs) / 1000;
}
