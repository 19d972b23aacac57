/** A browser with the console open, and how an operator comes to sign in. Without tap, so that benches can use it. */
import { openDatabase } from '../../src/db/pool.js';
import { NIL_UUID } from '../../src/db/uuid.js';
import type { Config } from '../../src/server/config/load.js';
import { createOperator } from '../../src/server/console/operator-accounts.js';
import type { OperatorRole } from '../../src/server/http/types.js';
import { openLog } from '../../src/server/telemetry/log.js';
import { Authenticator } from './authenticator.js';
import { exchange } from './plain-request.js';

export interface ConsoleAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on its members.
  readonly body: any;
  readonly text: string;
}

export interface ConsoleRequest {
  readonly body?: unknown;
  /** In place of those that a page of the console sends; null: not sent. */
  readonly headers?: Readonly<Record<string, string | null>>;
}

/** One browser with the console open: sends what its pages send, and keeps the cookie. */
export class ConsoleBrowser {
  readonly port: number;
  readonly origin: string;
  cookie = '';

  constructor(port: number) {
    this.port = port;
    this.origin = `http://localhost:${port}`;
  }

  async call(method: string, path: string, { body, headers = {} }: ConsoleRequest = {}): Promise<ConsoleAnswer> {
    const given: Record<string, string | null> = {
      host: `localhost:${this.port}`,
      'sec-fetch-site': 'same-origin',
      ...(method !== 'GET' && {
        origin: this.origin,
        'x-latchkey-console': '1',
        'content-type': 'application/json',
      }),
      // Node sends none with DELETE by itself.
      ...(body !== undefined && { 'content-length': String(Buffer.byteLength(JSON.stringify(body))) }),
      ...(this.cookie !== '' && { cookie: this.cookie }),
      ...headers,
    };
    const answer = await send(this.port, method, path, given, body === undefined ? '' : JSON.stringify(body));
    const set = [answer.headers['set-cookie'] ?? []].flat()[0];
    if (set !== undefined) this.cookie = /Max-Age=0/.test(set) ? '' : set.split(';', 1)[0]!;
    return answer;
  }

  get = (path: string, headers: ConsoleRequest['headers'] = {}) => this.call('GET', path, { headers });
  post = (path: string, body: unknown = {}) => this.call('POST', path, { body });
}

async function send(
  port: number,
  method: string,
  path: string,
  given: Readonly<Record<string, string | null>>,
  body: string,
): Promise<ConsoleAnswer> {
  const headers = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null)) as Record<
    string,
    string
  >;
  const { answer, text } = await exchange({ host: '127.0.0.1', port, method, path, headers, agent: false }, body);
  const isJson = String(answer.headers['content-type']).startsWith('application/json');
  const parsed = isJson && text !== '' ? JSON.parse(text) : undefined;
  return { status: answer.statusCode!, headers: answer.headers, body: parsed, text };
}

/** A new operator, made as the command line makes one. @returns its id, and the secret of its link */
export async function inviteOperator(
  config: Config,
  name: string,
  role: OperatorRole,
): Promise<{ readonly id: string; readonly link: string }> {
  const log = await openLog({ level: 'panic', file: '' });
  const quiet = () => undefined;
  const db = openDatabase({
    url: config.databaseUrl,
    maxConnections: 1,
    prefix: '',
    preparedStatements: config.dbPreparedStatements,
    log: { debug: quiet, info: quiet, warn: quiet },
  });
  try {
    const deed = { operator: { id: NIL_UUID, name: 'command_line', role: 'owner' }, requestId: '' } as const;
    const { operator, link } = await createOperator({ config, db, log }, deed, { name, role });
    return { id: operator.id, link: new URL(link).hash.slice(1) };
  } finally {
    await db.close();
  }
}

/** The operator of a link adds a passkey, which signs in. @throws Error unless it did */
export async function signInByLink(browser: ConsoleBrowser, link: string): Promise<Authenticator> {
  const authenticator = new Authenticator({ origin: browser.origin });
  const { body } = await browser.post('/api/link/passkey/options', { link });
  const credential = authenticator.create(body.options);
  const answer = await browser.post('/api/link/passkey', { link, challenge_id: body.challenge_id, credential });
  if (answer.status !== 200) throw new Error(answer.text);
  return authenticator;
}
