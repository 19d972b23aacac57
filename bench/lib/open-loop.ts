/** Open loops: requests at a fixed rate, whether or not earlier ones are answered, in a thread that rig.ts starts. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { HttpConnection } from './http-connection.js';
import { isGood, LoadWindow, type OpenLoop, type OpenLoopResult } from './load-window.js';
import { type Account, findRefreshToken, renderRequest, requestFor } from './requests.js';

const TICK_MS = 2;
/** Beyond that a request waits, and its wait counts. */
const MOST_CONNECTIONS = 512;
/** How long the loop waits for late answers: they may carry tokens that the server has committed to. */
const LATE_MS = 3000;

export async function runOpenLoop(job: OpenLoop): Promise<OpenLoopResult> {
  interface Order {
    readonly atMs: number;
    readonly account: Account;
  }
  interface Lane {
    readonly connection: HttpConnection;
    order: Order | undefined;
  }
  const window = new LoadWindow(job);
  const { host } = new URL(job.url);
  const acknowledged: string[] = [];
  const lanes = new Set<Lane>();
  const [idle, waiting]: [Lane[], Order[]] = [[], []];
  // A token chain has one request at a time; all other traffic uses an account any number of times.
  const chains = [...job.accounts];
  let [sent, offered, mostInFlight] = [0, 0, 0];

  function openLane(): Lane {
    const connection = new HttpConnection(job.url, {
      onAnswer: (status, answer) => finish(lane, status, answer),
      onClose() {
        lanes.delete(lane);
        if (idle.includes(lane)) idle.splice(idle.indexOf(lane), 1);
        if (lane.order !== undefined) window.add('error', 0);
      },
    });
    const lane: Lane = { connection, order: undefined };
    lanes.add(lane);
    return lane;
  }

  function finish(lane: Lane, status: number, answer: Buffer): void {
    const { atMs, account } = lane.order!;
    lane.order = undefined;
    window.add(status, performance.now() - atMs);
    const refreshToken = isGood(status) ? findRefreshToken(answer) : undefined;
    if (refreshToken !== undefined) acknowledged.push(refreshToken);
    // After an error it is unknown which token is the current one, so that chain ends.
    if (job.traffic === 'refresh' && refreshToken !== undefined) chains.push({ ...account, refreshToken });
    const next = waiting.shift();
    if (next === undefined) idle.push(lane);
    else send(lane, next);
  }

  function send(lane: Lane, order: Order): void {
    lane.order = order;
    const request = requestFor(job.traffic, order.account, `${randomUUID()}@example.com`);
    lane.connection.send(renderRequest(request, host));
  }

  for (const startMs = performance.now(); !window.isOver; await pause(TICK_MS)) {
    for (const due = ((performance.now() - startMs) / 1000) * job.requestsPerSecond; sent < due; sent += 1) {
      const account = job.traffic === 'refresh' ? chains.shift() : job.accounts[sent % job.accounts.length];
      if (account === undefined) continue;
      if (window.isOpen) offered += 1;
      const order = { atMs: performance.now(), account };
      const lane = idle.pop() ?? (lanes.size < MOST_CONNECTIONS ? openLane() : undefined);
      if (lane === undefined) waiting.push(order);
      else send(lane, order);
      mostInFlight = Math.max(mostInFlight, lanes.size - idle.length + waiting.length);
    }
  }
  for (const endMs = performance.now() + LATE_MS; lanes.size > idle.length && performance.now() < endMs; )
    await pause(TICK_MS);
  for (const { connection } of lanes) connection.destroy();
  return { ...window.result(), offeredPerSecond: offered / job.seconds, mostInFlight, acknowledged, accounts: chains };
}
