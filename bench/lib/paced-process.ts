/**
 * An open-loop load generator: requests leave at their time, however slow the answers are. autocannon's rate comes in
 * one burst a second, which would leave the hash queue empty for most of it.
 */
import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { AnswerReader } from './answer-reader.js';
import { serveJobs } from './processes.js';
import { percentile } from './statistics.js';
import { type Account, findRefreshToken, renderRequest, requestFor, type Traffic } from './traffic.js';

export interface PacedJob {
  readonly url: string;
  readonly traffic: Traffic;
  readonly accounts: readonly Account[];
  readonly requestsPerSecond: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

export interface PacedResult {
  readonly goodPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly offeredPerSecond: number;
  /** Sent or waiting to be sent, and not answered yet. */
  readonly mostInFlight: number;
  /** Answers in the window, by status; requests that got none are under `error`. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Every refresh token that came with a 2xx, warm-up included: the server has said that these exist. */
  readonly acknowledged: readonly string[];
}

const TICK_MS = 2;
/** Connections open at most; past that a request waits, and its wait counts. */
const MOST_CONNECTIONS = 512;

interface Order {
  readonly atMs: number;
  account: Account;
}

async function run(job: PacedJob): Promise<PacedResult> {
  const { hostname, port } = new URL(job.url);
  const statuses: Record<string, number> = {};
  const latenciesMs: number[] = [];
  const acknowledged: string[] = [];
  // A token chain can have one request under way; the other kinds of traffic use an account any number of times.
  const idleAccounts = [...job.accounts];
  const startMs = performance.now();
  const windowStartMs = startMs + job.warmUpSeconds * 1000;
  const endMs = windowStartMs + job.seconds * 1000;
  const isInWindow = () => performance.now() >= windowStartMs && performance.now() < endMs;
  const idle: Connection[] = [];
  const waiting: Order[] = [];
  let open = 0;
  let offered = 0;
  let mostInFlight = 0;

  interface Connection {
    readonly socket: Socket;
    order: Order | undefined;
  }

  function openConnection(): Connection {
    const socket = connect(Number(port), hostname);
    const connection: Connection = { socket, order: undefined };
    open += 1;
    socket.setNoDelay(true);
    const reader = new AnswerReader((status, answer) => finish(connection, String(status), answer));
    socket.on('data', (chunk) => reader.push(chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      open -= 1;
      const at = idle.indexOf(connection);
      if (at !== -1) idle.splice(at, 1);
      if (connection.order !== undefined) finish(connection, 'error', undefined);
    });
    return connection;
  }

  function finish(connection: Connection, status: string, answer: Buffer | undefined): void {
    const { order } = connection;
    connection.order = undefined;
    if (order === undefined) return;
    const isGood = status.startsWith('2');
    const refreshToken = isGood && answer !== undefined ? findRefreshToken(answer) : undefined;
    if (refreshToken !== undefined) acknowledged.push(refreshToken);
    if (isInWindow()) {
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (isGood) latenciesMs.push(performance.now() - order.atMs);
    }
    // After an error nobody knows which token is the current one, so that chain ends.
    if (job.traffic === 'refresh' && refreshToken !== undefined) idleAccounts.push({ ...order.account, refreshToken });
    if (connection.socket.destroyed || status === 'error') return;
    const next = waiting.shift();
    if (next === undefined) idle.push(connection);
    else send(connection, next);
  }

  function send(connection: Connection, order: Order): void {
    connection.order = order;
    const request = requestFor(job.traffic, order.account, `${randomUUID()}@example.com`);
    connection.socket.write(renderRequest(request, `${hostname}:${port}`));
  }

  for (let nowMs = startMs, sent = 0; nowMs < endMs; nowMs = performance.now()) {
    for (const due = ((nowMs - startMs) / 1000) * job.requestsPerSecond; sent < due; sent += 1) {
      const account = job.traffic === 'refresh' ? idleAccounts.shift() : job.accounts[sent % job.accounts.length];
      if (account === undefined) continue;
      if (isInWindow()) offered += 1;
      const order = { atMs: performance.now(), account };
      const connection = idle.pop() ?? (open < MOST_CONNECTIONS ? openConnection() : undefined);
      if (connection === undefined) waiting.push(order);
      else send(connection, order);
      mostInFlight = Math.max(mostInFlight, open - idle.length + waiting.length);
    }
    await pause(TICK_MS);
  }
  // Answers that are still under way may carry tokens the server has committed to.
  const patienceMs = performance.now() + 3000;
  while (open > idle.length && performance.now() < patienceMs) await pause(TICK_MS);
  for (const { socket } of idle) socket.destroy();

  const sorted = Float64Array.from(latenciesMs).sort();
  return {
    goodPerSecond: sorted.length / job.seconds,
    p50Ms: percentile(sorted, 50),
    p99Ms: percentile(sorted, 99),
    offeredPerSecond: offered / job.seconds,
    mostInFlight,
    statuses,
    acknowledged,
  };
}

serveJobs(run);
