/** A receiver of webhooks: verifies the signatures and records the events. */
import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Test } from './tap.js';

export const WEBHOOK_SECRET = `v1,whsec_${Buffer.alloc(32, 7).toString('base64')}`;

export interface ReceivedEvent {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on its members.
  readonly data: any;
  /** Status it was answered with. */
  readonly status: number;
  readonly isSigned: boolean;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface WebhookReceiver {
  readonly url: string;
  /** In the order of arrival, failed ones included. */
  readonly received: ReceivedEvent[];
  /** Signatures are checked against it. */
  secret: string;
  /** Status of the answer to an event; undefined: no answer at all. Default: 204. */
  answer: (event: ReceivedEvent) => number | undefined | Promise<number | undefined>;
}

export async function startWebhookReceiver(test: Test, secret = WEBHOOK_SECRET): Promise<WebhookReceiver> {
  const received: ReceivedEvent[] = [];
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const { headers } = request;
    const event = {
      ...JSON.parse(body),
      headers,
      isSigned: isSigned(receiver.secret, headers as Record<string, string>, body),
    };
    const entry = { ...event, status: 0 };
    received.push(entry);
    const status = await receiver.answer(event);
    if (status === undefined) return;
    entry.status = status;
    response.writeHead(status).end();
  };
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.teardown(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`,
    received,
    secret,
    answer: () => 204,
  };
  return receiver;
}

/** Independent of the code under test (https://www.standardwebhooks.com). */
function isSigned(secret: string, headers: Readonly<Record<string, string>>, body: string): boolean {
  const key = Buffer.from(secret.replace(/^v1,whsec_/, ''), 'base64');
  const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const signature = createHmac('sha256', key).update(content).digest('base64');
  const isFresh = Math.abs(Date.now() / 1000 - Number(headers['webhook-timestamp'])) < 60;
  return isFresh && (headers['webhook-signature'] ?? '').split(' ').includes(`v1,${signature}`);
}

/** Settings of a server that posts to the receiver. */
export const webhookSettings = (url: string, settings: Record<string, string> = {}): Record<string, string> => ({
  WEBHOOKS_URL: url,
  WEBHOOKS_SECRETS: WEBHOOK_SECRET,
  OUTBOUND_PRIVATE_HOSTS: '127.0.0.1',
  ...settings,
});
