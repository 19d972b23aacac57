/** A fake of the four SMS gateways: records its requests and fails on demand. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { loadConfig } from '../../src/server/config/load.js';
import type { Config } from '../../src/server/config/settings.js';
import type { Test } from './tap.js';

export const gatewayNames = ['twilio', 'messagebird', 'textlocal', 'vonage'] as const;
export type GatewayName = (typeof gatewayNames)[number];

/**
 * refuseNumber: the gateway's error for a bad number · accountFault: its error for wrong credentials · unavailable:
 * 503 · tooMany: 429 · badGateway: 502 of a proxy in front of it · silent: reads, never responds · cut: reads, closes ·
 * cutBody: closes in the middle of the body · huge: 2 MB · garbage: 200 and no JSON · redirect: to another host
 */
export type GatewayMode =
  | 'good'
  | 'refuseNumber'
  | 'accountFault'
  | 'unavailable'
  | 'tooMany'
  | 'badGateway'
  | 'silent'
  | 'cut'
  | 'cutBody'
  | 'huge'
  | 'garbage'
  | 'redirect';

export interface GatewayRequest {
  readonly gateway: GatewayName;
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
  readonly contentType: string | undefined;
  /** The raw body. */
  readonly body: string;
  readonly fields: Readonly<Record<string, string>>;
}

export interface FakeGateways {
  readonly url: string;
  readonly requests: GatewayRequest[];
  mode: GatewayMode;
  /** The delay of each response. */
  delayMs: number;
  /** The exact response to the next requests. */
  answer: { status: number; body: unknown } | null;
  /** Settings that point a server at this one. */
  environment(gateway: GatewayName): Record<string, string>;
  /** The same without the prefix AUTH_, as openTestServer takes them. */
  settings(gateway: GatewayName): Record<string, string>;
  config(gateway: GatewayName, extra?: Record<string, string>): Config;
}

export const secrets: Record<GatewayName, Record<string, string>> = {
  twilio: { ACCOUNT_SID: 'AC0123', AUTH_TOKEN: 'twilio-secret-token', MESSAGE_SERVICE_SID: 'MG0123' },
  messagebird: { ACCESS_KEY: 'bird-secret-key', ORIGINATOR: 'Example' },
  textlocal: { API_KEY: 'textlocal-secret-key', SENDER: 'EXAMPL' },
  vonage: { API_KEY: 'vonage-key', API_SECRET: 'vonage-secret', FROM: 'Example' },
};

const good: Record<GatewayName, { status: number; body: unknown }> = {
  twilio: { status: 201, body: { sid: 'SM1', status: 'queued', error_code: null, error_message: null } },
  messagebird: { status: 201, body: { id: 'mb1', recipients: { totalCount: 1, totalSentCount: 1 } } },
  textlocal: { status: 200, body: { status: 'success', messages: [{ id: 'tl1', recipient: 15555550100 }] } },
  vonage: { status: 200, body: { 'message-count': '1', messages: [{ status: '0', 'message-id': 'vo1' }] } },
};

const refusedNumber: typeof good = {
  twilio: {
    status: 400,
    body: {
      code: 21211,
      message: "The 'To' number is not valid.",
      more_info: 'https://www.twilio.com/docs/errors/21211',
    },
  },
  messagebird: { status: 422, body: { errors: [{ code: 9, description: 'no (correct) recipients found' }] } },
  textlocal: {
    status: 200,
    body: { status: 'failure', errors: [{ code: 51, message: 'No valid numbers specified' }] },
  },
  vonage: {
    status: 200,
    body: { messages: [{ status: '3', 'error-text': 'to address is not numeric', 'message-id': 'vo2' }] },
  },
};

const faultyAccount: typeof good = {
  twilio: {
    status: 401,
    body: { code: 20003, message: 'Authenticate', more_info: 'https://www.twilio.com/docs/errors/20003' },
  },
  messagebird: {
    status: 401,
    body: { errors: [{ code: 2, description: 'Request not allowed (incorrect access_key)' }] },
  },
  textlocal: { status: 200, body: { status: 'failure', errors: [{ code: 3, message: 'Invalid login details' }] } },
  vonage: { status: 200, body: { messages: [{ status: '4', 'error-text': 'Bad Credentials' }] } },
};

export async function startFakeGateways(test: Test): Promise<FakeGateways> {
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => void respond(request, response));
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const fake: FakeGateways = {
    url,
    requests: [],
    mode: 'good',
    delayMs: 0,
    answer: null,
    environment: (gateway) =>
      Object.fromEntries(Object.entries(fake.settings(gateway)).map(([name, value]) => [`AUTH_${name}`, value])),
    settings(gateway) {
      const prefix = `SMS_${gateway.toUpperCase()}`;
      const own = Object.entries(secrets[gateway]).map(([field, value]) => [`${prefix}_${field}`, value]);
      return { SMS_PROVIDER: gateway, [`${prefix}_API_URL`]: url, ...Object.fromEntries(own) };
    },
    config: (gateway, extra = {}) =>
      loadConfig({
        environment: {
          AUTH_SITE_URL: 'https://app.example.com',
          AUTH_API_EXTERNAL_URL: 'https://auth.example.com',
          AUTH_DB_DRIVER: 'postgres',
          DATABASE_URL: 'postgres://127.0.0.1/latchkey',
          AUTH_JWT_SECRET: 'a secret of more than thirty-two bytes',
          ...fake.environment(gateway),
          ...extra,
        },
        file: null,
      }).config,
  };

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const path = request.url ?? '';
    const gateway = gatewayAt(path);
    if (gateway === undefined || request.method !== 'POST') return write(response, 404, { message: 'no such path' });
    fake.requests.push({
      gateway,
      method: request.method,
      path,
      authorization: request.headers.authorization,
      contentType: request.headers['content-type'],
      body,
      fields: Object.fromEntries(new URLSearchParams(body)),
    });
    if (fake.delayMs > 0) await pause(fake.delayMs);
    if (fake.answer !== null) return write(response, fake.answer.status, fake.answer.body);
    switch (fake.mode) {
      case 'good':
        return write(response, good[gateway].status, good[gateway].body);
      case 'refuseNumber':
        return write(response, refusedNumber[gateway].status, refusedNumber[gateway].body);
      case 'accountFault':
        return write(response, faultyAccount[gateway].status, faultyAccount[gateway].body);
      case 'unavailable':
        return write(response, 503, { message: 'Service Unavailable' });
      case 'tooMany':
        return write(response, 429, { code: 20429, message: 'Too Many Requests', more_info: '' });
      case 'badGateway':
        response.writeHead(502, { 'Content-Type': 'text/html' }).end('<h1>502 Bad Gateway</h1>');
        return;
      case 'silent':
        return;
      case 'cut':
        request.socket.destroy();
        return;
      case 'cutBody':
        response.writeHead(200, { 'Content-Length': '100' }).write('{"status":"suc');
        setImmediate(() => request.socket.destroy());
        return;
      case 'huge':
        response.writeHead(200).end(Buffer.alloc(2_000_000, 0x20));
        return;
      case 'garbage':
        response.writeHead(200, { 'Content-Type': 'application/json' }).end('queued');
        return;
      case 'redirect':
        response.writeHead(307, { Location: 'https://elsewhere.example/' }).end('{}');
        return;
    }
  }
  return fake;
}

function gatewayAt(path: string): GatewayName | undefined {
  if (/^\/2010-04-01\/Accounts\/[^/]+\/Messages\.json$/.test(path)) return 'twilio';
  if (path === '/messages') return 'messagebird';
  if (path === '/send') return 'textlocal';
  return path === '/sms/json' ? 'vonage' : undefined;
}

function write(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
